import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct ClosureOutputTests {
    private let directory = TemporaryDirectory.current

    private final class Box<Element: Sendable>: Sendable {
        let values = Mutex<[Element]>([])
        func add(_ value: Element) { values.withLock { $0.append(value) } }
        var all: [Element] { values.withLock { $0 } }
    }

    private enum Kitchen: Error, CustomNSError, LocalizedError {
        case burnt(minutes: Int)
        var errorDescription: String? { "the omelette burnt" }
        var errorUserInfo: [String: Any] {
            guard case .burnt(let minutes) = self else { return [:] }
            let cause = NSError(
                domain: "stove", code: 7,
                userInfo: [
                    NSLocalizedDescriptionKey: "too hot", NSUnderlyingErrorKey: NSError(domain: "gas", code: 9),
                ])
            return ["minutes": minutes, NSUnderlyingErrorKey: cause]
        }
    }

    @Test("A closure receives the records of its route and level") func closureGetsItsRecords() async throws {
        let box = Box<String>()
        let pipeline = try Pipeline(directory: directory.url) {
            Route("app.**", to: ClosureOutput(id: "crumbs") { box.add($0.message ?? "") }, level: .warning)
        }
        pipeline.log("app.a").info("too low")
        pipeline.log("app.a").warning("one")
        pipeline.log("other").error("elsewhere")
        pipeline.log("app").error("two")
        try await pipeline.flush(deadline: .seconds(60))
        let ledgers = await pipeline.ledgers()
        #expect(box.all == ["one", "two"])
        #expect(ledgers["crumbs"]?.delivered == 2)
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("A record logged by the closure does not return to it") func closureSkipsOwnLogs() async throws {
        let (box, others) = (Box<String>(), Box<String>())
        let log = Mutex<Log?>(nil)
        let pipeline = try Pipeline(directory: directory.url) {
            Route(
                "**",
                to: ClosureOutput(id: "first") { record in
                    box.add(record.message ?? "")
                    log.withLock { $0 }?.info("from inside")
                }, timing: .inline)
            Route("**", to: ClosureOutput(id: "second") { others.add($0.message ?? "") }, timing: .inline)
        }
        log.withLock { $0 = pipeline.log("app") }
        pipeline.log("app").info("from outside")
        #expect(box.all == ["from outside"])
        #expect(others.all.sorted() == ["from inside", "from outside"])
        await pipeline.shutdown(deadline: .seconds(60))
    }

    @Test("The closure receives an error's domain, code, info and causes") func closureGetsErrorDetails() async throws {
        let box = Box<Record>()
        let pipeline = try Pipeline(directory: directory.url) {
            Route("**", to: ClosureOutput(id: "errors") { box.add($0) }, timing: .inline)
        }
        pipeline.log().error(Kitchen.burnt(minutes: 3))
        pipeline.log().start("cook").end(throwing: Kitchen.burnt(minutes: 4), ["pan": "small"])
        pipeline.log().error("only words")
        await pipeline.shutdown(deadline: .seconds(60))

        let error = try #require(box.all[0].error)
        #expect(error.type.hasSuffix("Kitchen"))
        #expect(error.message == "the omelette burnt")
        #expect(error.domain == Kitchen.burnt(minutes: 3)._domain)
        #expect(error.code == Kitchen.burnt(minutes: 3)._code)
        #expect(error.info == ["minutes": 3])
        #expect(error.causes.map(\.domain) == ["stove", "gas"])
        #expect(error.causes.map(\.code) == [7, 9])
        #expect(error.causes.first?.message == "too hot")

        let object = error.nsError
        #expect(object.domain == error.domain)
        #expect(object.code == error.code)
        #expect(object.localizedDescription == "the omelette burnt")
        #expect(object.userInfo["minutes"] as? Int64 == 3)
        let cause = try #require(object.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.domain == "stove" && cause.code == 7 && cause.localizedDescription == "too hot")
        #expect((cause.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "gas")

        let ended = try #require(box.all[1].error)
        #expect(ended.message == "the omelette burnt")
        #expect(ended.info == ["pan": "small", "minutes": 4])
        #expect(box.all[2].error == nil)
    }

    @Test("A record with only an exception type still yields an error") func foreignErrorNeedsType() {
        var record = Record(time: 0, kind: .error, level: .error, tag: "app", message: "failed")
        record.attributes = ["exception.type": "Sent", "daybook.error.causes": ["no object", ["message": "untyped"]]]
        #expect(record.error?.message == "failed")
        #expect(record.error?.domain == "Sent")
        #expect(record.error?.causes.isEmpty == true)
    }

    @Test("Attributes convert to Foundation types") func convertsToFoundation() {
        let attributes: Attributes = [
            "n": 1, "d": 2.5, "b": true, "s": "x", "none": nil, "bytes": .bytes([1, 2]), "list": [1, "y"],
            "object": ["k": 1], "n": 2,
        ]
        let dictionary = attributes.foundation
        #expect(
            NSDictionary(dictionary: dictionary)
                == [
                    "n": Int64(2), "d": 2.5, "b": true, "s": "x", "none": NSNull(), "bytes": Data([1, 2]),
                    "list": [Int64(1), "y"] as [Any], "object": ["k": Int64(1)],
                ] as NSDictionary)
    }

    @Test("An output can be switched on and off at run time") func switchesAtRuntime() {
        let box = Box<String>()
        let output = SwitchedOutput(ClosureOutput(id: "crumbs") { box.add($0.tag) }, isOn: false)
        #expect(output.id == "crumbs")
        output.write(Record(time: 0, kind: .event, level: .info, tag: "a.off"))
        output.isOn = true
        output.write(Record(time: 0, kind: .event, level: .info, tag: "a.on"))
        output.isOn = false
        output.write(Record(time: 0, kind: .event, level: .info, tag: "a.off"))
        #expect(box.all == ["a.on"])
    }
}
