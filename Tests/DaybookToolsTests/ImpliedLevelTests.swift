import DaybookBase
import DaybookTools
import Testing

@Suite struct ImpliedLevelTests {
    private func number(event name: String, _ attributes: Attributes = [:]) -> Int? {
        var implied = ImpliedLevel()
        implied.add(event: name)
        implied.add(attributes)
        return implied.number
    }

    /// Every way to spell the words as a name.
    private static func spellings(_ words: [String]) -> [String] {
        let capital = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return [
            words.joined(separator: "_"), words.joined(separator: "-"), words.joined(separator: " "),
            words.joined(separator: "_").uppercased(), capital.joined(), capital.joined(separator: " "),
            words[0] + capital.dropFirst().joined(), "my.app." + words.joined(separator: "_"),
            "App." + capital.joined(),
            "t:" + words.joined(separator: "_"), words.joined(separator: "_") + ".1",
        ]
    }

    @Test(
        "A crash is fatal in any spelling",
        arguments: [
            ["crash"], ["crashed"], ["app", "crash"], ["app", "has", "crashed"], ["native", "crash"], ["ios", "crash"],
            ["crash", "report"], ["app", "crash", "reported"], ["crash", "detected"], ["recipe", "app", "crash"],
            ["uncaught", "crash", "event"], ["last", "session", "crashed"],
        ])
    func crashIsFatal(words: [String]) {
        for name in Self.spellings(words) { #expect(number(event: name) == 21, "\(name)") }
    }

    @Test(
        "An exception is an error in any spelling",
        arguments: [
            ["exception"], ["uncaught", "exception"], ["unhandled", "exception"], ["null", "pointer", "exception"],
            ["app", "exception"], ["exception", "occurred"],
        ])
    func exceptionIsError(words: [String]) {
        for name in Self.spellings(words) { #expect(number(event: name) == 17, "\(name)") }
    }

    @Test(
        "Other event names imply no level",
        arguments: [
            ["no", "crash"], ["car", "crash"], ["no", "app", "crash"], ["market", "crash"], ["no", "exception"],
            ["crash", "test"], ["crashlytics", "start"], ["exceptional", "recipe"], ["crash", "course"],
            ["without", "exception"],
            ["crash", "barrier", "show"],
        ])
    func otherNamesImplyNothing(words: [String]) {
        for name in Self.spellings(words) { #expect(number(event: name) == nil, "\(name)") }
    }

    @Test(
        "Paths and long names imply no level",
        arguments: [
            "", "GET /crash", "/v1/exception", "game.car_crash", "nocrash", "rash",
            String(repeating: "crash", count: 50),
        ])
    func pathsImplyNothing(name: String) { #expect(number(event: name) == nil) }

    @Test(
        "Attributes of a failure imply a level",
        arguments: [
            (["exception.type": "E"], 17), (["exception.message": ""], 17), (["exception.stacktrace": .null], 17),
            (["error": true], 17), (["error": "true"], 17), (["error": false], nil), (["error": "none"], nil),
            (["error": .int(1)], nil), (["otel.status_code": "ERROR"], 17), (["otel.status_code": "OK"], nil),
            (["component": "crash", "error": "true"], 21), (["component": "http"], nil), (["level": "error"], nil),
        ] as [(Attributes, Int?)])
    func attributesImplyLevel(attributes: Attributes, level: Int?) {
        #expect(number(event: "a.b", attributes) == level)
        #expect(number(event: "app.crash", attributes) == 21)
    }
}
