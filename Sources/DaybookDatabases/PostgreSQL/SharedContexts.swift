import DaybookBase
import DaybookStore

/// The contexts of one commit's rows: each is sent once, and its uses are counted. Short ones stay in their rows. Pure.
struct SharedContexts {
    private let key: StoreKey
    /// Whether to validate each text, as in ``CopyEncoder``.
    private let isChecking: Bool
    private var known: [String: String] = [:]
    private var uses: [String: Int64] = [:]
    /// The previous row's context, which usually recurs.
    private var last = ""
    private var lastID = ""
    private var lastBytes: [UInt8] = []

    /// - Parameter identity: of the store.
    init(identity: String, isChecking: Bool) {
        key = StoreKey(identity: identity)
        self.isChecking = isChecking
    }

    /// Counts a row's context.
    /// - Returns: its 16-byte id; `nil` if it stays in the row.
    mutating func add(_ context: String) -> [UInt8]? {
        if ContextTable.isShort(context) { return nil }
        if context != last {
            lastID = known[context] ?? key.name(ofContext: context)
            known[context] = lastID
            last = context
            lastBytes = Hex.bytes(lastID) ?? []
        }
        uses[lastID, default: 0] += 1
        return lastBytes
    }

    /// Inserts new contexts, and adds all uses.
    var statements: [PostgreSQLChange] {
        if uses.isEmpty { return [] }
        let contexts = known.map { context, id in "('\(id)', \(PostgreSQLLiteral.text(json(context)))::jsonb)" }
        let counts = uses.map { id, count in "('\(id)'::uuid, \(count))" }
        return [
            PostgreSQLChange("INSERT INTO contexts VALUES \(contexts.joined(separator: ",")) ON CONFLICT DO NOTHING"),
            PostgreSQLChange(
                """
                INSERT INTO context_uses VALUES \(counts.joined(separator: ","))
                ON CONFLICT (context) DO UPDATE SET records = context_uses.records + excluded.records
                """, rows: counts.count),
        ]
    }

    private func json(_ context: String) -> String {
        var bytes: [UInt8] = []
        if isChecking {
            PostgreSQLJSON.appendChecked(context, to: &bytes)
        } else {
            PostgreSQLJSON.append(context, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Subtracts the uses of deleted rows, and deletes unused contexts.
    /// - Parameter uses: deleted rows by context id.
    static func removing(_ uses: [String: Int64]) -> [String] {
        if uses.isEmpty { return [] }
        let counts = uses.map { id, count in "('\(id)'::uuid, \(count))" }.joined(separator: ",")
        let unused = "IN (\(uses.keys.map { "'\($0)'" }.joined(separator: ","))) AND records <= 0"
        return [
            """
            UPDATE context_uses AS u SET records = u.records - gone.count
            FROM (VALUES \(counts)) AS gone(context, count) WHERE u.context = gone.context
            """,
            "DELETE FROM contexts WHERE id IN (SELECT context FROM context_uses WHERE context \(unused))",
            "DELETE FROM context_uses WHERE context \(unused)",
        ]
    }
}
