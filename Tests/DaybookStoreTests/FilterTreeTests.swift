import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

/// Five functions read the tree of a filter: text, address, SQL, index probe and row test. Random trees go through all.
@Suite(.temporaryDirectory) struct FilterTreeTests {
    private let directory = TemporaryDirectory.current
    private static let rounds = 400

    @Test("The text of a tree reads back as that tree") func treeTextReadsBack() throws {
        var random = RandomTree(seed: 38)
        for _ in 0..<Self.rounds * 5 {
            let tree = random.tree()
            let text = tree.description
            #expect(try FilterParser.parse(text, now: 0).expression == tree, "\(text)")
        }
    }

    @Test("The address of a filter reads back as that filter") func addressReadsBack() throws {
        let reading = FilterContext(
            defined: DefinedEvents(Definitions()), disclosure: Disclosure(masking: MaskingPolicy(), tell: { _ in }),
            now: { 0 })
        var random = RandomTree(seed: 380)
        for round in 0..<Self.rounds {
            var filter = RecordFilter(random.tree())
            if round % 3 == 0 { filter.receivedBefore = random.time() }
            if round % 2 == 0 { filter = filter.withoutOwn }
            let parameters = try filter.parameters()
            var reader = ParameterReader(parameters, reading, sight: .whole)
            try reader.read(own: []) { _, _ in }
            let read = reader.filter.filter
            let others = [read, filter].map { Set($0.expression.conjuncts.filter { !$0.isTime }) }
            #expect(others[0] == others[1] && read.expression.times == filter.expression.times, "\(parameters)")
            #expect(read.receivedBefore == filter.receivedBefore)
        }
    }

    @Test("A store, by SQL and its index, answers as the test of a row") func storeMatchesRowTest() async throws {
        var random = RandomTree(seed: 3_800)
        let rows = (0..<400).map { random.row($0) }
        let store = try SQLiteStore(path: directory.file("store.sqlite"))
        try await store.append(RecordBatch(rows: Array(rows.prefix(300))))
        // The first records are read through the index.
        try SQLiteFile(directory.file("store.sqlite")).completeExtent()
        try await store.append(RecordBatch(rows: Array(rows.dropFirst(300))))
        await store.settleIndex()
        var (chosen, narrowed) = (0, 0)
        for _ in 0..<TestLength.trials(150, long: Self.rounds) {
            let tree = random.tree()
            let match = FilterMatch(RecordFilter(tree))
            let expected = rows.filter(match.matches).map(\.uid)
            let found = try await store.page { query in
                query.narrow(by: tree)
                query.order = .oldestFirst
                query.limit = 1_000
            }
            #expect(found.map(\.row.uid) == expected, "\(tree)")
            chosen += expected.count
            if !IndexProbe(tree).isAnything { narrowed += 1 }
            let others = try await store.page { query in
                query.narrow(by: .not(tree))
                query.limit = 1_000
            }
            #expect(others.count == rows.count - expected.count, "\(tree)")
            if let sql = FilterStatement.condition(tree), !tree.comparesFoldedText {
                let answer = try await store.query(
                    "SELECT uid FROM records WHERE \(sql) ORDER BY id", limits: QueryLimits())
                #expect(answer.rows == expected.map { [.text($0)] }, "\(tree): \(sql)")
            }
        }
        #expect(chosen > 0 && narrowed > 0)
    }
}

extension FilterExpression {
    /// SQL's LIKE folds only Latin letters.
    fileprivate var comparesFoldedText: Bool { !allTerms { if case .text = $0 { false } else { true } } }
}
