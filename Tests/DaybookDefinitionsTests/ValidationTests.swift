import DaybookTrials
import Testing

@testable import DaybookDefinitions

struct ValidationTests {
    private static let definitions = load([
        "common.md": "# common\n\n- user_id: !bigint?\n- app_version: !string 8\n",
        "search.md": """
        # search

        - screen: Screen

        ## run

        - keyword: !string 6
        - order: Order?
            - `latest`
            - `人気`
        - page: !smallint?
        - total: !integer?
        - score: !real?
        - on: !date?
        - at: !timestamptz?
        - local: !timestamp?
        - first: !boolean?
        - email: !string? 254 [sensitive]
        - phone: Order? [private]
        - [obsolete] old: !bigint

        ## [obsolete] gone
        """,
    ]).definitions
    private let validator = RecordValidator(ValidationTests.definitions)

    private func violations(_ attributes: String, context: String? = #"{"app_version":"1.0"}"#) -> [String] {
        validator.violations(tag: "search.run", attributes: attributes, context: context).map {
            "\($0.kind.rawValue): \($0.message)"
        }
    }

    private func violations(ofColumn member: String) -> [String] {
        violations(#"{"screen":"home","keyword":"egg",\#(member)}"#)
    }

    @Test("An event as defined has no violation") func validEventIsClean() {
        #expect(
            violations(
                """
                { "keyword" : "卵", "screen": "home", "order": "人気", "page": 3, "total": 3.0, "score": 1, "on":
                "2026-11-20", "at": "2026-11-20T10:02:11.204Z", "local": "2026-11-20 10:02:11", "first": true,
                "email": "0123456789abcdef0123456789abcdef", "daybook.truncated": true, "phone": null }
                """) == [])
    }

    @Test("An undefined event is reported with the nearest name") func undefinedNamesNearest() {
        let found = validator.violations(tag: "search.rum", attributes: "{}", context: nil)
        #expect(found == [Violation(.undefinedEvent, tag: "search.rum")])
        #expect(validator.nearestTag(to: "search.rum") == "search.run")
        #expect(validator.nearestTag(to: "payment.completed") == nil)
    }

    @Test("An event with another verb is not the nearest") func otherVerbIsOtherEvent() {
        let events = "# feed\n\n## show_article\n\n## tap_articles\n\n## tap_link\n"
        let validator = RecordValidator(load(["feed.md": events]).definitions)
        #expect(validator.nearestTag(to: "feed.tap_article") == "feed.tap_articles")
        #expect(validator.nearestTag(to: "feed.hide_article") == nil)
        #expect(validator.nearestTag(to: "feed.showarticle") == "feed.show_article")
    }

    @Test("An obsolete event is a violation") func findsObsoleteEvent() {
        let found = validator.violations(
            tag: "search.gone", attributes: #"{"screen":"home"}"#, context: #"{"app_version":"1"}"#)
        #expect(found.map(\.kind) == [.obsoleteEvent])
    }

    @Test("Missing columns are found in attributes and context") func findsMissingColumns() {
        #expect(
            violations("{}", context: "{}") == [
                "missing_column: the column `screen` is missing", "missing_column: the column `keyword` is missing",
                "missing_column: the column `app_version` is missing",
            ])
        #expect(violations(#"{"keyword":null,"screen":1}"#) == ["missing_column: the column `keyword` is missing"])
    }

    @Test("An unknown context counts as missing no columns") func unknownContextIsFine() {
        #expect(violations(#"{"keyword":"egg","screen":"home"}"#, context: nil) == [])
    }

    @Test("Common columns may appear among the attributes") func commonInAttributes() {
        #expect(violations(#"{"keyword":"egg","screen":"home","app_version":"1.0"}"#, context: "{}") == [])
    }

    @Test("The values of common columns are checked") func checksCommonColumns() {
        #expect(
            violations(#"{"keyword":"egg","screen":"home"}"#, context: #"{"app_version":"1.0.0-beta","x":1}"#)
                == ["too_long: `app_version` has 10 bytes; at most 8 are allowed"])
    }

    @Test(
        "A column that does not fit is named with the reason",
        arguments: [
            (#""keyword":"たまご""#, "too_long: `keyword` has 9 bytes; at most 6 are allowed"),
            (#""keyword":"\u305f\u307e\u3054""#, "too_long: `keyword` has 9 bytes; at most 6 are allowed"),
            (#""keyword":5"#, "wrong_type: `keyword` should be `!string 6`, not a whole number"),
            (#""keyword":{"a":[1,"}"]}"#, "wrong_type: `keyword` should be `!string 6`, not an object"),
            (#""order":"old""#, "undeclared_value: `order` should be one of `latest`, `人気`, not `old`"),
            (#""order":1"#, "wrong_type: `order` should be `Order`, not a whole number"),
            (#""phone":"090""#, "undeclared_value: `phone` should be one of `latest`, `人気`"),
            (#""page":32768"#, "out_of_range: `page` is outside the range of `!smallint`: 32768"),
            (#""page":1.5"#, "wrong_type: `page` should be `!smallint`, not a number with a fraction"),
            (#""total":3e9"#, "out_of_range: `total` is outside the range of `!integer`: 3000000000"),
            (#""total":1e300"#, "out_of_range: `total` is outside the range of `!integer`: 1e+300"),
            (#""score":"1""#, "wrong_type: `score` should be `!real`, not text"),
            (#""on":"2026-13-01""#, "wrong_type: `on` should be `!date`, not other text"),
            (#""at":"2026-11-20T10:02:11""#, "wrong_type: `at` should be `!timestamptz`, not other text"),
            (#""local":"20 Nov""#, "wrong_type: `local` should be `!timestamp`, not other text"),
            (#""first":1"#, "wrong_type: `first` should be `!boolean`, not a whole number"),
            (#""email":"a@b.example""#, "sensitive_in_clear: `email` is sensitive, but was not hashed"),
            (#""old":3"#, "obsolete_column: the column `old` is obsolete"),
            (#""keywrd":"egg""#, "undefined_column: the definition has no column `keywrd`"),
        ])
    func namesWrongColumn(member: String, expected: String) { #expect(violations(ofColumn: member) == [expected]) }

    /// A record keeps as text what neither 64 bits nor a double hold, but its sender wrote a number.
    @Test(
        "A number beyond 64 bits is out of range, not text",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "18446744073709551615", "100000000000000000001",
            String(repeating: "9", count: 40),
        ])
    func hugeNumberOutOfRange(number: String) {
        for (column, type) in [("page", "smallint"), ("total", "integer")] {
            #expect(
                violations(ofColumn: "\"\(column)\":\"\(number)\"")
                    == ["out_of_range: `\(column)` is outside the range of `!\(type)`: \(number)"])
            // Text of digits that would fit is text.
            #expect(
                violations(ofColumn: "\"\(column)\":\"\(number.prefix(4))\"")
                    == ["wrong_type: `\(column)` should be `!\(type)`, not text"])
        }
        #expect(
            violations(ofColumn: "\"score\":\"\(number)\"")
                == ["wrong_type: `score` should be `!real`, not a whole number beyond 64 bits"])
    }

    @Test(
        "Attributes that are not a JSON object are a violation",
        arguments: ["", "[]", "null", #"{"a""#, #"{"keyword":"egg",}"#, #"{"keyword" 1}"#, #"{"a":tru}"#, "{} x"])
    func findsBadAttributes(text: String) {
        #expect(violations(text) == ["unreadable: the attributes are not a JSON object"])
    }

    @Test("A hostile record has a bounded report") func reportIsBounded() {
        let members = (0..<10_000).map { "\"x\($0)\":[[[[\($0)]]]]" }.joined(separator: ",")
        #expect(violations("{\(members)}").count == RecordValidator.greatestCount)
    }

    @Test("Validating any bytes does not crash") func anyBytesValidate() {
        var random = SeededGenerator(seed: 7)
        let seed = Array(#"{"keyword":"\ud83d\ude00é","page":-1.5e3,"x":[{},null,true],"screen":"s"}"#.utf8)
        for _ in 0..<5_000 {
            var bytes = seed
            for _ in 0..<Int(random.next() % 6) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
            let found = validator.violations(
                tag: "search.run", attributes: String(decoding: bytes, as: UTF8.self), context: nil)
            #expect(found.count <= RecordValidator.greatestCount)
        }
    }
}
