import DaybookTesting
import Foundation
import Testing

@testable import Daybook

struct LogValueTests {
    private enum Screen: String, LogValue { case feed }
    private enum Step: UInt8, LogValue { case second = 2 }

    private let id = 7
    private let shard: UInt32 = 9
    private let uuid = UUID(uuidString: "3F2504E0-4F89-41D3-9A0C-0305E82C3301")!
    private let url = URL(string: "https://example.com/a?b=1")!
    private let campaign: String? = nil
    private let rank: Int? = 3

    private func recorded(_ body: (Log) -> Void) throws -> [Record] {
        let recorder = try Recorder()
        body(recorder.log("app"))
        return recorder.records.records
    }

    @Test("A log call accepts variables of every supported type") func acceptsEveryType() throws {
        let when = Date(timeIntervalSince1970: 1.5)
        let records = try recorded { log in
            log.post(
                "a.numbers",
                [
                    "id": id, "i8": Int8(-8), "i16": Int16(-16), "i32": Int32(-32), "i64": Int64.min, "u": UInt(1),
                    "u8": UInt8(8), "u16": UInt16(16), "u32": shard, "u64": UInt64.max, "half": Float(0.5),
                    "third": 1.25, "none": Double.nan, "width": CGFloat(2.5), "price": Decimal(string: "0.10"),
                    "is": id == 7,
                ])
            log.post(
                "a.texts",
                [
                    "text": campaign ?? "no", "part": "recipe 42".dropFirst(7), "letter": Character("é"), "uuid": uuid,
                    "url": url, "at": when, "bytes": Data([1, 2]), "screen": Screen.feed, "step": Step.second,
                    "none": campaign, "some": rank, "nil": nil, "shown": "\(id)!",
                ])
            log.post(
                "a.many",
                [
                    "list": [1, 2], "ids": [id, id + 1], "urls": [url], "gaps": [rank, nil],
                    "by name": ["b": id, "a": 1],
                    "value": .string("v"), "mixed": .array([1, "x"]), "object": .object(["b": 1, "a": 2]),
                    "attributes": Attributes(["id": id]),
                ])
        }
        #expect(records.map(\.tag) == ["a.numbers", "a.texts", "a.many"])
        #expect(
            records[0].attributes == [
                "id": 7, "i8": -8, "i16": -16, "i32": -32, "i64": .int(.min), "u": 1, "u8": 8, "u16": 16, "u32": 9,
                "u64": "18446744073709551615", "half": 0.5, "third": 1.25, "none": "NaN", "width": 2.5,
                "price": "0.1", "is": true,
            ])
        #expect(
            records[1].attributes == [
                "text": "no", "part": "42", "letter": "é", "uuid": "3F2504E0-4F89-41D3-9A0C-0305E82C3301",
                "url": "https://example.com/a?b=1", "at": "1970-01-01T00:00:01.500Z", "bytes": .bytes([1, 2]),
                "screen": "feed", "step": 2, "none": nil, "some": 3, "nil": nil, "shown": "7!",
            ])
        #expect(
            records[2].attributes == [
                "list": [1, 2], "ids": [7, 8], "urls": ["https://example.com/a?b=1"], "gaps": [3, nil],
                "by name": ["a": 1, "b": 7], "value": "v", "mixed": [1, "x"], "object": ["b": 1, "a": 2],
                "attributes": ["id": 7],
            ])
    }

    @Test("Messages, measurements and errors accept variables as attributes") func allCallsTakeVariables() throws {
        let records = try recorded { log in
            log.trace("m", ["id": id, "shard": shard])
            log.debug("m", ["id": id, "shard": shard])
            log.info("m", ["id": id, "shard": shard], tag: "b")
            log.warning("m", ["id": id, "shard": shard])
            log.error("m", ["id": id, "shard": shard])
            log.fatal("m", ["id": id, "shard": shard])
            log.message(.info, "m", ["id": id, "shard": shard])
            log.post("e.v", ["id": id, "shard": shard], level: .debug)
            log.start("well").end(["id": id, "shard": shard])
            log.start("badly").end(throwing: CancellationError(), ["id": id, "shard": shard])
        }
        #expect(records.count == 10)
        for record in records {
            #expect(record.attributes["id"] == 7 && record.attributes["shard"] == 9, "\(record)")
        }
        #expect(
            records.prefix(8).map(\.level) == [.trace, .debug, .info, .warning, .error, .fatal, .info, .debug])
        #expect(records[2].tag == "b" && records[2].line != nil && records[2].file?.hasSuffix("Tests.swift") == true)
        #expect(records[9].failure != nil)
    }

    @Test("Attributes are not evaluated at a level that no output takes") func skipsUntakenAttributes() throws {
        let output = CollectingOutput()
        let pipeline = try Pipeline(store: .memory()) { Route("**", to: output, level: .warning) }
        var asked = 0
        func cost() -> Int {
            asked += 1
            return asked
        }
        pipeline.log().info("m", ["cost": cost(), "id": id])
        pipeline.log().post("e.v", ["cost": cost(), "id": id])
        #expect(asked == 0)
        pipeline.log().warning("m", ["cost": cost(), "id": id])
        #expect(asked == 1)
    }

    @Test("Literals of mixed lists and nested objects keep their types and order") func literalsKeepMeaning() throws {
        let records = try recorded { log in
            log.post("a.b", ["list": [1, "two", nil], "object": ["b": 1, "a": ["z": 1, "y": 2]], "none": nil])
            log.post("a.b") {
                $0["object"] = ["b": 1, "a": 2]
                $0["screen"] = Screen.feed
            }
        }
        #expect(
            records[0].attributes == [
                "list": [1, "two", nil], "object": ["b": 1, "a": ["z": 1, "y": 2]], "none": nil,
            ])
        #expect(records[1].attributes == ["object": ["b": 1, "a": 2], "screen": "feed"])
    }
}
