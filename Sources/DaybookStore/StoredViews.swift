import DaybookBase
import DaybookDefinitions
import DaybookTools
import Foundation

/// The masking policy of the definitions that a store was last served with, kept there as a view of one row, so that a
/// command that reads the store elsewhere hides the same without the definitions.
private enum StoredMasking {
    /// Bytes of the policy: servers limit the length of a statement. In a longer one no event declares anything, so that
    /// what is private in any event is hidden in all.
    private static let limit = 100_000

    static func view(_ policy: MaskingPolicy, dialect: SQLDialect) -> StoreView {
        let whole = text(policy, open: policy.open)
        let text = whole.utf8.count <= limit ? whole : Self.text(policy, open: [:])
        let none = dialect == .postgresql ? "NULL::bigint" : "NULL"
        let columns = "\(none) AS \"_id\", \(dialect.literal(text)) AS \"policy\""
        return StoreView(
            name: StoreView.masking, statement: "CREATE VIEW \"\(StoreView.masking)\" AS SELECT \(columns)")
    }

    /// In one order, because a view is created again when its text has changed; read again as ``MaskingPolicy`` decodes it.
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
    /// Creates the typed views of a team's events, the wide view over all of them, `violations`, the views for analysts and
    /// what readers mask by, and drops those of events that are no longer defined. Nothing happens in a store without SQL.
    /// - Throws: ``StoreError``.
    package func createViews(of definitions: Definitions) async throws {
        guard let dialect = dialect.flatMap({ SQLDialect(rawValue: $0.rawValue) }) else { return }
        try await createViews(
            SQLViews.ofStore(definitions, dialect: dialect).map {
                StoreView(name: $0.name, statement: $0.statement, following: $0.following)
            } + [StoredMasking.view(MaskingPolicy(definitions), dialect: dialect)])
    }

    /// What the store hides by the definitions that it was last served with; `nil` if it never was.
    /// - Throws: ``StoreError`` if the store cannot be read.
    package func storedMasking() async throws -> MaskingPolicy? {
        try await maskingText().map { try JSONDecoder().decode(MaskingPolicy.self, from: Data($0.utf8)) }
    }
}
