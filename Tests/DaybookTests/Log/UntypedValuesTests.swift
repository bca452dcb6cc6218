import Daybook
import DaybookTesting
import Foundation
import Testing

struct UntypedValuesTests {
    private enum Screen: String { case top }
    private struct Mode: OptionSet { let rawValue: Int }
    private struct Plain { var name = "x" }

    /// Values as they occur in payloads, and how they are recorded.
    private static var taken: [(Any, Value)] {
        [
            (true, true), (7, 7), (UInt8(7), 7), (Int64.min, .int(.min)), (UInt64.max, "18446744073709551615"),
            (1.5, 1.5), (Float(1.5), 1.5), (Float16(1.5), 1.5), (Double.nan, "NaN"),
            (Decimal(string: "1.10") as Any, "1.1"),
            ("卵", "卵"), ("卵"[...], "卵"), (Character("卵"), "卵"), (Data([1, 2]), .bytes([1, 2])),
            (Date(timeIntervalSince1970: 0), "1970-01-01T00:00:00.000Z"), (URL(filePath: "/a"), "file:///a"),
            (UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") as Any, "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
            (NSNumber(value: true), true), (NSNumber(value: false), false), (NSNumber(value: 1), 1),
            (NSNumber(value: 0), 0), (NSNumber(value: Int8(1)), 1),
            (NSNumber(value: UInt64.max), "18446744073709551615"),
            (NSNumber(value: 0.5), 0.5), (NSNumber(value: 1.0), 1.0), (NSDecimalNumber(string: "0.10"), "0.1"),
            (NSNull(), nil), (NSString("x"), "x"), (NSURL(string: "https://a.example/b") as Any, "https://a.example/b"),
            (NSDate(timeIntervalSince1970: 0), "1970-01-01T00:00:00.000Z"), (NSData(data: Data([3])), .bytes([3])),
            (NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") as Any, "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
            (NSArray(array: [NSNumber(value: 1), NSString("x")]), [1, "x"]),
            (NSDictionary(dictionary: ["b": NSNumber(value: 1), "a": NSNull()]), ["a": nil, "b": 1]),
            (Optional<Int>.none as Any, nil), (Optional<Any>.none as Any, nil), (Optional<Any>.some(3) as Any, 3),
            (Optional<Optional<String>>.some("x") as Any, "x"), (AnyHashable(3), 3), ([] as [Any], []),
            ([1, "x", nil, true] as [Any?], [1, "x", nil, true]), ([1, 2], [1, 2]),
            (["a": [1, [2.5]]], ["a": [1, [2.5]]]),
            (["b": 1, "a": ["c": "d"]] as [String: Any], ["a": ["c": "d"], "b": 1]),
            (["a": 1] as [AnyHashable: Any], ["a": 1]), (["a": nil, "b": 2] as [String: Any?], ["a": nil, "b": 2]),
            (Screen.top, "top"), (Mode(rawValue: 6), 6), (Notification.Name("done"), "done"),
        ]
    }

    @Test("An untyped value keeps its type", arguments: taken.indices) func keepsUntypedType(index: Int) {
        let (any, value) = Self.taken[index]
        #expect(Attributes(any: ["v": any]) == ["v": value])
        #expect(Attributes(any: ["deep": ["list": [any]]]) == ["deep": ["list": .array([value])]])
        #expect(Value(describing: any) == value)
    }

    @Test("Attributes made from JSONSerialization output equal the JSON") func keepsParsedJSON() throws {
        let text = #"{"a":1,"b":true,"c":0,"d":false,"e":1.5,"f":null,"g":["x",{"h":-3}],"i":{}}"#
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let payload = try #require(object as? [String: Any])
        #expect(
            Attributes(any: payload) == [
                "a": 1, "b": true, "c": 0, "d": false, "e": 1.5, "f": nil, "g": ["x", ["h": -3]], "i": [:],
            ])
    }

    @Test("Reports unsupported values by path and type") func namesUnsupportedValues() {
        let payload: [String: Any] = [
            "plain": Plain(), "list": [1, Plain(), "x"], "user": ["id": 7, "face": NSObject()], "by number": [1: "a"],
            "set": Set([1]), "maybe": Optional(Plain()) as Any, "metatype": Plain.self,
        ]
        let rest: Attributes = ["id": 7]
        #expect(
            Attributes(any: payload) == [
                "list": [1, nil, "x"], "user": .object(rest),
                "daybook.rejected.by number": "unknown_type: Dictionary<Int, String>",
                "daybook.rejected.list[1]": "unknown_type: Plain",
                "daybook.rejected.maybe": "unknown_type: Plain",
                "daybook.rejected.metatype": "unknown_type: Plain.Type",
                "daybook.rejected.plain": "unknown_type: Plain",
                "daybook.rejected.set": "unknown_type: Set<Int>",
                "daybook.rejected.user.face": "unknown_type: NSObject",
            ])
        #expect(Value(describing: Plain()) == #"Plain(name: "x")"#)
    }

    @Test("Reports values that are nested too deeply") func namesTooDeepValues() {
        func nested(_ depth: Int) -> Any { depth == 0 ? 7 : [nested(depth - 1)] }
        #expect(Attributes(any: ["list": nested(31)]).elements.map(\.key) == ["list"])
        let deeper = Attributes(any: ["list": nested(32)])
        #expect(deeper["daybook.rejected.list" + String(repeating: "[0]", count: 32)] == "too_deep")
        #expect(deeper.elements.count == 2)
    }

    @Test("A pipeline takes events without a log") func postsWithoutLog() async throws {
        let output = CollectingOutput()
        let logger = try Pipeline(store: .memory()) { Route("**", to: output, level: .debug) }
        let id = 42
        logger.post("pv.top")
        logger.post("pv.recipe.detail", ["recipe_id": 42])
        logger.post("pv.recipe.detail", ["recipe_id": id, "tags": ["a"]], level: .debug)
        logger.post("pv.recipe.detail", Attributes(any: ["recipe_id": id] as [String: Any]))
        logger.post("pv.recipe.detail") { $0["recipe_id"] = id }
        await logger.shutdown(deadline: .seconds(60))
        #expect(output.records.map(\.tag) == ["pv.top"] + Array(repeating: "pv.recipe.detail", count: 4))
        #expect(output.records.map { $0.attributes["recipe_id"] } == [nil, 42, 42, 42, 42])
        #expect(output.records.map(\.level) == [.info, .info, .debug, .info, .info])
    }
}
