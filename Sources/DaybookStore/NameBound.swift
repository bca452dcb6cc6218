import DaybookTools

/// Bounds the list of tags and versions, which senders choose. Beyond it, the names with the fewest records (then the
/// least recently seen) are folded: versions into their tag, then tags out of the list. Folded counts are kept.
package struct NameBound: Sendable {
    /// Rows of the list; each is a tag, kind and version.
    package let most: Int
    /// Names added since the last count; `nil` before the first.
    private var added: Int?

    /// - Parameter most: Default 50,000: a hundred versions of five hundred events.
    package init(most: Int = 50_000) { self.most = most }

    /// Whether to count rows now, which is not done at each commit.
    /// - Parameter names: Rows that the commit writes.
    package mutating func mustCount(adding names: Int) -> Bool {
        let sum = (added ?? most) + names
        added = sum >= most / 10 ? 0 : sum
        return added == 0
    }

    /// Folds to half the bound, so that folding is rare.
    package var kept: Int { most / 2 }
}

/// Counts of records whose names were folded out of the list of tags and versions, including erased records.
public struct UnlistedNames: Sendable, Hashable {
    /// Records whose tag left the list.
    public var tags: Int64 = 0
    /// Records counted for their tag without a version.
    public var versions: Int64 = 0

    public init() {}

    public var isEmpty: Bool { tags == 0 && versions == 0 }
}

/// ``NameBound`` in SQL, over the table `tags`. Folded counts are rows with an empty kind, which no record has.
package enum NameFolding {
    private static let tags = "unlisted tags"
    private static let versions = "unlisted versions"

    package static let reading = "SELECT \(count(of: tags)), \(count(of: versions))"
    private static func count(of name: String) -> String {
        "coalesce((SELECT count FROM tags WHERE tag = '\(name)' AND kind = '' AND version = ''), 0)"
    }

    package static let counting = "SELECT count(*) FROM tags"

    /// Statements that fold the list, in order.
    /// - Parameters:
    ///   - sum: The sum of `count`, without overflow.
    ///   - growth: The update when a row is added to an existing one.
    package static func statements(_ bound: NameBound, sum: String, growth: String) -> [String] {
        func fold(where condition: String, behind kept: Int, to groups: [(names: String, group: String)]) -> [String] {
            let rest = """
                (SELECT * FROM tags WHERE \(condition)
                ORDER BY count DESC, last_time DESC, tag, kind, version LIMIT \(Int64.max) OFFSET \(kept)) AS rest
                """
            // Folded rows are deleted last, because each statement selects them anew.
            return groups.map { names, group in
                """
                INSERT INTO tags SELECT \(names), '', \(sum), \(first), max(last_time) FROM \(rest) WHERE TRUE
                GROUP BY \(group) ON CONFLICT (tag, kind, version) DO UPDATE SET \(growth)
                """
            } + ["DELETE FROM tags WHERE (tag, kind, version) IN (SELECT tag, kind, version FROM \(rest))"]
        }
        return fold(
            where: "kind <> '' AND version <> ''", behind: bound.kept,
            to: [("'\(versions)', ''", "kind <> ''"), ("tag, kind", "tag, kind")])
            + fold(
                where: "kind <> ''", behind: bound.kept + bound.kept / 2, to: [("'\(tags)', ''", "kind <> ''")])
    }

    /// ``PlausibleTime/first(_:_:)`` as an aggregate.
    private static let first = """
        coalesce(min(CASE WHEN first_time >= \(PlausibleTime.earliest) THEN first_time END), min(first_time))
        """
}
