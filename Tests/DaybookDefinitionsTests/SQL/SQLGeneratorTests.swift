import Foundation
import Testing

@testable import DaybookDefinitions

struct SQLGeneratorTests {
    private static let combinations: [(SQLDialect, SQLShape)] = SQLDialect.allCases.flatMap { dialect in
        SQLShape.allCases.filter { $0 != .views || dialect.hasRecords }.map { (dialect, $0) }
    }

    @Test("The SQL script equals its reference file", arguments: combinations)
    func scriptMatchesReference(dialect: SQLDialect, shape: SQLShape) throws {
        let made = try SQLGenerator(dialect: dialect, shape: shape).generate(try referenceDefinitions())
        #expect(made.omissions.isEmpty)
        try expect(made.text, equalsFixture: "Reference/expected.\(dialect.rawValue).\(shape.rawValue).sql")
    }

    @Test("Redshift has no views over records") func redshiftHasNoViews() throws {
        #expect(SQLViews.overRecords(try referenceDefinitions(), dialect: .redshift).isEmpty)
        #expect(try SQLGenerator(dialect: .redshift).shape == .wide)
        #expect(throws: SQLGenerator.Refusal.self) { try SQLGenerator(dialect: .redshift, shape: .views) }
    }

    @Test("Columns that clash with the envelope or by case appear once") func showsSimilarOnce() {
        let definitions = load([
            "a.md": "# a\n\n## x\n\n- _id: !string\n- Name: !bigint\n- name: !bigint\n- ok: !bigint\n"
        ]).definitions
        let warehouse = Warehouse(definitions)
        #expect(warehouse.events.map { $0.columns.map(\.name) } == [["Name", "ok"]])
        #expect(warehouse.columns.map(\.name) == ["Name", "ok"])
    }

    @Test("Two events with one view name are reported") func viewNamesClash() throws {
        let definitions = load(["a.md": "# a\n\n## b__c\n\nx\n", "a__b.md": "# a__b\n\n## c\n\ny\n"]).definitions
        let made = try SQLGenerator(dialect: .postgresql).generate(definitions)
        #expect(made.omissions == ["a__b.c has no view or table: the name a__b__c is taken by another event"])
    }

    @Test("A table wider than the dialect allows is refused or omitted", arguments: SQLDialect.allCases)
    func limitsTableWidth(dialect: SQLDialect) throws {
        var files: [String: String] = [:]
        for category in 0..<5 {
            let columns = (0..<500).map { "- c\(category)_\($0): !bigint\n" }.joined()
            files["k\(category).md"] = "# k\(category)\n\n## e\n\n" + columns
        }
        let definitions = load(files).definitions
        guard dialect.columnLimit != nil else {
            #expect(try SQLGenerator(dialect: dialect, shape: .wide).generate(definitions).omissions.isEmpty)
            return
        }
        #expect(throws: SQLGenerator.Refusal.self) {
            try SQLGenerator(dialect: dialect, shape: .wide).generate(definitions)
        }
        guard dialect.hasRecords else { return }
        let views = try SQLGenerator(dialect: dialect, shape: .views).generate(definitions)
        #expect(views.omissions.count == 1)
        #expect(!views.text.contains("activity_log"))
        #expect(views.text.contains("\"k4__e\""))
    }

    @Test("A name of more than 63 bytes ends in a digest") func longNamesEndInDigest() {
        let long = String(repeating: "a", count: 60)
        #expect(SQLName.event(tag: "category.event") == "category__event")
        #expect(SQLName.shortened(long + "abc") == long + "abc")
        #expect(SQLName.shortened(long + "abcd").utf8.count == 63)
        #expect(SQLName.event(tag: long + ".x") != SQLName.event(tag: long + ".xy"))
        #expect(SQLName.shortened(long + "abcd").hasPrefix(String(long.prefix(54)) + "_"))
    }

    @Test("A joined type holds whatever either type holds") func joinedTypeHoldsBoth() {
        #expect(WarehouseType.word(longest: 3).joined(with: .word(longest: 9)) == .word(longest: 9))
        #expect(WarehouseType.bigint.joined(with: .smallint) == .bigint)
        #expect(WarehouseType.bigint.joined(with: .hash) == .text(limit: nil))
        #expect(WarehouseType.text(limit: 8).joined(with: .hash) == .text(limit: 32))
    }
}
