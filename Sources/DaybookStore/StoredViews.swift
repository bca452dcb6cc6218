import DaybookBase
import DaybookDefinitions
import DaybookTools
import Foundation

/// The masking policy of the last definitions a store was served with, as a one-row view, so that other commands mask
/// alike without the definitions.
private enum StoredMask {
    /// In bytes, because servers limit statements. A longer policy omits the events' own declarations: a column private
    /// in any event is then masked in all.
    private static let limit = 100_000

    static func view(_ policy: MaskingPolicy, dialect: SQLDialect) -> StoreView {
        let whole = text(policy, open: policy.open)
        let text = whole.utf8.count <= limit ? whole : Self.text(policy, open: [:])
        let none = dialect == .postgresql ? "NULL::bigint" : "NULL"
        let columns = "\(none) AS \"_id\", \(dialect.literal(text)) AS \"policy\""
        return StoreView(
            name: StoreView.masking, statement: "CREATE VIEW \"\(StoreView.masking)\" AS SELECT \(columns)")
    }

    /// Sorted, because the view is recreated when its text changes. ``MaskingPolicy`` decodes it.
    private static func text(_ policy: MaskingPolicy, open: [String: Set<String>]) -> String {
        let names = { (names: Set<String>) in Value.array(names.sorted().map { .string($0) }) }
        let members: Attributes = [
            "own": .object([:]), "common": names(policy.names),
            "open": .object(Attributes(open.sorted { $0.key < $1.key }.map { ($0.key, names($0.value)) })),
        ]
        return JSONWriter.text(.object(members))
    }
}

extension EventStore {
    /// Creates the typed views of a team's events, the wide view over all of them, `violations`, the views for analysts
    /// and the masking policy, and drops those of events no longer defined. A store without SQL ignores the call.
    /// - Throws: ``StoreError``.
    package func createViews(of definitions: Definitions) async throws {
        guard let dialect = dialect.flatMap({ SQLDialect(rawValue: $0.rawValue) }) else { return }
        try await createViews(
            SQLViews.ofStore(definitions, dialect: dialect).map {
                StoreView(name: $0.name, statement: $0.statement, following: $0.following)
            } + [StoredMask.view(MaskingPolicy(definitions), dialect: dialect)])
    }

    /// The masking policy of the definitions the store was last served with; `nil` if it never was.
    /// - Throws: ``StoreError`` if the store cannot be read.
    package func storedMasking() async throws -> MaskingPolicy? {
        try await maskingText().map { try JSONDecoder().decode(MaskingPolicy.self, from: Data($0.utf8)) }
    }
}
