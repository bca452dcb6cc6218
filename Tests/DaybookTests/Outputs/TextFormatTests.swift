import Testing

@testable import Daybook

struct TextFormatTests {
    private static let time: Int64 = 1_795_168_931_204_567_000

    private func event() -> Record {
        Record(
            time: Self.time, kind: .event, level: .info, tag: "recipe_search.search",
            attributes: ["keyword": "egg", "page": 1])
    }

    private func message() -> Record {
        var record = Record(
            time: Self.time, kind: .message, level: .warning, tag: "app", message: "たまご焼き",
            attributes: ["b": [1, nil, 2.5], "a": ["deep": true]])
        record.file = "RecipeBox/AppDelegate.swift"
        record.function = "start(_:)"
        record.line = 12
        record.column = 5
        return record
    }

    private func span(_ duration: Int64) -> Record {
        var record = Record(time: 0, kind: .span, level: .info, tag: "app", message: "load")
        record.duration = duration
        return record
    }

    // MARK: Presets

    @Test("A line shows time, level, tag and attributes") func lineShowsAttributes() {
        #expect(
            TextFormat.line.text(of: event()) == "10:02:11.204 ● recipe_search.search {keyword: \"egg\", page: 1}")
    }

    @Test("The multiline format indents source and attributes") func multilineIndents() {
        var format = TextFormat.multiline
        format.zone = .utc
        #expect(
            format.text(of: message()) == """
                10:02:11.204 ▲ app たまご焼き
                    RecipeBox/AppDelegate.swift:12:5 start(_:)
                    {
                      "b": [
                        1,
                        null,
                        2.5
                      ],
                      "a": {
                        "deep": true
                      }
                    }
                """)
    }

    @Test("The appLogger format puts the source first") func appLoggerSiteFirst() {
        var format = TextFormat.appLogger
        format.zone = .utc
        format.attributes = .hidden
        #expect(format.text(of: message()) == "2026-11-20 10:02:11.204 [⚠️][AppDelegate.swift]:12 5 start(_:) -> たまご焼き")
        #expect(format.text(of: event()) == "2026-11-20 10:02:11.204 [ℹ️][recipe_search.search] -> recipe_search.search")
    }

    @Test("JSON is one line with the keys of the exports") func jsonMatchesExports() {
        var record = message()
        record.sequence = 7
        record.context = ["session.id": "s1", "user_id": 42]
        #expect(
            TextFormat.json.text(of: record)
                == #"{"seq":7,"time":"2026-11-20T10:02:11.204567000Z","kind":"message","level":"warning","tag":"app","#
                + #""message":"たまご焼き","module":"RecipeBox","attributes":{"b":[1,null,2.5],"a":{"deep":true},"#
                + #""code.column.number":5},"context":{"user_id":42},"session":"s1","file":"RecipeBox/AppDelegate.swift","#
                + #""function":"start(_:)","line":12}"#)
    }

    // MARK: Options

    @Test("Icons are chosen per level") func iconsPerLevel() {
        var format = TextFormat.line
        format.icons = .names
        #expect(format.text(of: event()).hasPrefix("10:02:11.204 INFO recipe"))
        format.icons = .init(error: "!")
        #expect(format.text(of: event()).hasPrefix("10:02:11.204 recipe"))
        format.icons[.info] = "i"
        #expect(format.text(of: event()).hasPrefix("10:02:11.204 i recipe"))
        for level in Level.allCases { #expect(!TextFormat.Icons.emoji[level].isEmpty) }
    }

    @Test("The source appears inline or on a line of its own") func sourceInlineOrOwnLine() {
        var format = TextFormat.line
        format.attributes = .hidden
        format.source = .inline
        #expect(
            format.text(of: message()) == "10:02:11.204 ▲ app たまご焼き (RecipeBox/AppDelegate.swift:12:5 start(_:))")
        format.source = .ownLine
        #expect(
            format.text(of: message()) == "10:02:11.204 ▲ app たまご焼き\n    RecipeBox/AppDelegate.swift:12:5 start(_:)")
        #expect(format.text(of: event()) == "10:02:11.204 ● recipe_search.search")
    }

    @Test("Attributes can be hidden, inline or JSON, and sorted") func attributeStyles() {
        var format = TextFormat.line
        format.time = .hidden
        format.icons = .none
        format.attributes = .json
        #expect(format.text(of: message()) == #"app たまご焼き {"b":[1,null,2.5],"a":{"deep":true}}"#)
        format.sortsAttributes = true
        #expect(format.text(of: message()) == #"app たまご焼き {"a":{"deep":true},"b":[1,null,2.5]}"#)
        format.attributes = .inline
        #expect(format.text(of: message()) == "app たまご焼き {a: {deep: true}, b: [1, null, 2.5]}")
    }

    @Test("Shows the last value of a repeated key") func lastValueShown() {
        var format = TextFormat.line
        format.time = .hidden
        let record = Record(time: 0, kind: .event, level: .info, tag: "a.b", attributes: ["k": 1, "l": 2, "k": 3])
        #expect(format.text(of: record) == "● a.b {l: 2, k: 3}")
    }

    @Test("Shows the context on request") func contextOnRequest() {
        var format = TextFormat.line
        var record = event()
        record.context = ["user_id": 42]
        #expect(!format.text(of: record).contains("user_id"))
        format.showsContext = true
        #expect(format.text(of: record).hasSuffix("{keyword: \"egg\", page: 1, user_id: 42}"))
    }

    @Test(
        "Formats a duration in the chosen style",
        arguments: [
            (TextFormat.DurationStyle.milliseconds, Int64(1_234_567_890), "1234.5 ms"),
            (.milliseconds, 99_999, "0.0 ms"),
            (.milliseconds, -50_000_000, "-50.0 ms"), (.seconds, 1_234_567_890, "1.234 s"), (.fitting, 850, "850 ns"),
            (.fitting, 12_345, "12.3 µs"), (.fitting, 12_345_678, "12.3 ms"), (.fitting, 1_234_567_890, "1.234 s"),
            (.fitting, 125_000_000_000, "2 min 5 s"), (.milliseconds, .max, "9223372036854.7 ms"),
            (.seconds, .min, "-9223372036.854 s"),
        ])
    func durationStyles(style: TextFormat.DurationStyle, duration: Int64, text: String) {
        var format = TextFormat.line
        format.duration = style
        #expect(format.text(of: span(duration)) == "00:00:00.000 ● app load (\(text))")
    }

    @Test("Shows a failure with its reason, if any") func showsFailureReason() {
        var record = span(1_000_000)
        record.failure = "no eggs"
        #expect(TextFormat.line.text(of: record).hasSuffix("load (1.0 ms) failed: no eggs"))
        #expect(
            TextFormat.json.text(of: record).contains(
                #""attributes":{"otel.status_code":"ERROR","otel.status_description":"no eggs"}"#))
        record.failure = ""
        #expect(TextFormat.line.text(of: record).hasSuffix("load (1.0 ms) failed"))
    }

    @Test("An empty line can precede each record") func emptyLineBefore() {
        var format = TextFormat.line
        format.startsWithEmptyLine = true
        #expect(format.text(of: event()) == "\n" + TextFormat.line.text(of: event()))
    }

    @Test("Uses colours only on terminals unless set to always") func coloursForTerminals() {
        let plain = TextFormat.line.text(of: event())
        var format = TextFormat.line
        #expect(String(decoding: format.line(of: event(), isTerminal: false), as: UTF8.self) == plain + "\n")
        #expect(String(decoding: format.line(of: event(), isTerminal: true), as: UTF8.self).contains("\u{1B}[36m●"))
        format.colours = .never
        #expect(String(decoding: format.line(of: event(), isTerminal: true), as: UTF8.self) == plain + "\n")
        format.colours = .always
        #expect(format.text(of: event()).contains("\u{1B}[36m●\u{1B}[0m recipe"))
    }

    @Test("The environment can turn colours off") func environmentStopsColours() {
        func takes(_ environment: [String: String]) -> Bool { ConsoleOutput.takesColours { environment[$0] } }
        #expect(takes(["TERM": "xterm"]))
        #expect(takes(["NO_COLOR": ""]))
        #expect(!takes(["NO_COLOR": "1"]))
        #expect(!takes(["TERM": "dumb"]))
    }

    // MARK: Time

    @Test("The full time includes its zone") func fullTimeNamesZone() {
        var format = TextFormat.line
        format.time = .full
        #expect(format.text(of: event()).hasPrefix("2026-11-20T10:02:11.204Z ●"))
        format.zone = .fixed(secondsEast: 9 * 3600)
        #expect(format.text(of: event()).hasPrefix("2026-11-20T19:02:11.204+09:00 ●"))
        format.zone = .fixed(secondsEast: -(10 * 3600 + 1800))
        #expect(format.text(of: event()).hasPrefix("2026-11-19T23:32:11.204-10:30 ●"))
    }

    @Test("Formats any time in any zone", arguments: [Int64.min, .max, -1, 0]) func anyTimeFormats(time: Int64) {
        for zone in [TextFormat.Zone.utc, .local, .fixed(secondsEast: 86_400), .fixed(secondsEast: .min)] {
            var format = TextFormat.line
            format.time = .full
            format.zone = zone
            let text = format.text(of: Record(time: time, kind: .message, level: .info, tag: "t"))
            #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d) ● t/) != nil, "\(text)")
        }
    }

    // MARK: Hostile text

    /// Everything that could end a line, control a terminal or reorder text.
    private static let hostile = "a\nb\r\u{1B}[2J\u{7}\u{0}\u{7F}\u{85}\u{9B}31m\u{2028}\u{2029}\u{202E}\u{2066}z"

    @Test(
        "A record cannot forge a line or control the terminal",
        arguments: [TextFormat.line, .multiline, .appLogger, .json])
    func recordCannotForgeLine(preset: TextFormat) {
        var record = Record(
            time: 0, kind: .span, level: .error, tag: Self.hostile, message: Self.hostile,
            attributes: [Self.hostile: .string(Self.hostile), "list": [.string(Self.hostile)]])
        record.failure = Self.hostile
        record.file = Self.hostile
        record.function = Self.hostile
        record.context = [Self.hostile: .string(Self.hostile)]
        for source in [TextFormat.Source.inline, .ownLine] {
            for attributes in [TextFormat.AttributeStyle.inline, .json, .prettyJSON] {
                var format = preset
                format.source = source
                format.attributes = attributes
                format.showsContext = true
                let text = format.text(of: record)
                // Only the first line starts without an indent.
                #expect(text.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("    ") })
                let forbidden = text.unicodeScalars.filter {
                    $0 != "\n"
                        && ($0.properties.generalCategory == .control || (0x2028...0x202E).contains($0.value)
                            || (0x2066...0x2069).contains($0.value))
                }
                #expect(forbidden.isEmpty)
                #expect(preset.layout != .json || !text.contains("\n"))
            }
        }
    }

    @Test("Shows control characters as escapes") func escapesControls() {
        let record = Record(
            time: 0, kind: .message, level: .error, tag: "app", message: "a\nb\u{1B}[2Jc\u{202E}d",
            attributes: ["k\n": "\r\u{9B}"])
        #expect(
            TextFormat.line.text(of: record)
                == "00:00:00.000 ✖ app a\\u{a}b\\u{1b}[2Jc\\u{202e}d {k\\u{a}: \"\\u{d}\\u{9b}\"}")
    }

    @Test("Hostile text survives a JSON round trip") func hostileJSONRoundTrips() throws {
        let record = Record(
            time: 0, kind: .message, level: .error, tag: "app", message: Self.hostile + "\"\\é👩‍👩‍👧 ",
            attributes: [:])
        let line = TextFormat.json.text(of: record)
        guard case .object(let object) = try JSONReader.value(of: Array(line.utf8)) else {
            Issue.record("not an object: \(line)")
            return
        }
        #expect(object["message"] == record.message.map(Value.string))
    }

    @Test("Text in every script passes unchanged") func scriptsPassUnchanged() {
        let text = "検索 поиск αβγ é e\u{301} 👩‍👩‍👧 العربية עברית ‰ · “x” —"
        let record = Record(time: 0, kind: .message, level: .info, tag: "t", message: text)
        #expect(TextFormat.line.text(of: record) == "00:00:00.000 ● t \(text)")
        // Bridged, non-contiguous text takes another path through the code.
        var line = LineText()
        line.add(Substring(text).dropFirst(0))
        #expect(String(decoding: line.bytes, as: UTF8.self) == text)
    }
}
