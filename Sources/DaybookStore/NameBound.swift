import DaybookTools

/// How many names the list of tags and versions has room for. Senders choose both, so the list is bounded where it is
/// written: the names with the fewest records give way, the least recently seen first. No record is lost by that, and what
/// is no longer told apart is counted.
///
/// First, versions are no longer told apart: their records count for the tag without a version. Where there are still too
/// many, tags leave the list.
package struct NameBound: Sendable {
    /// Rows of the list, a tag, kind and version each.
    package let most: Int
    /// Names that came since the rows were counted; `nil` before they were for the first time.
    private var added: Int?

    /// - Parameter most: default: 50,000, a hundred versions of five hundred events.
    package init(most: Int = 50_000) { self.most = most }

    /// Whether the rows are to be counted now: they are not for each commit.
    /// - Parameter names: how many rows a commit writes.
    package mutating func mustCount(adding names: Int) -> Bool {
        let sum = (added ?? most) + names
        added = sum >= most / 10 ? 0 : sum
        return added == 0
    }

    /// Of the rows beyond the bound some more go than must, so that this is done seldom.
    package var kept: Int { most / 2 }
}

/// Records of names that the list of tags and versions had no room for, those that were erased since included.
public struct UnlistedNames: Sendable, Hashable {
    /// Records whose tag left the list.
    public var tags: Int64 = 0
    /// Records that count for their tag, and for no version any more.
    public var versions: Int64 = 0

    /// None.
    public init() {}

    /// Whether the list has all.
    public var isEmpty: Bool { tags == 0 && versions == 0 }
}

/// ``NameBound`` in SQL, over a table `tags`. What left the list stands in it as rows without a kind, which no record has.
package enum NameFolding {
    private static let tags = "unlisted tags"
    private static let versions = "unlisted versions"

    /// ``UnlistedNames``: one row.
    package static let reading = "SELECT \(count(of: tags)), \(count(of: versions))"
    private static func count(of name: String) -> String {
        "coalesce((SELECT count FROM tags WHERE tag = '\(name)' AND kind = '' AND version = ''), 0)"
    }

    /// How many rows the list has.
    package static let counting = "SELECT count(*) FROM tags"

    /// What brings a list that is too long down to the bound, in this order.
    /// - Parameters:
    ///   - sum: the sum of `count`, in the dialect's words, which does not overflow.
    ///   - growth: what becomes of a row to which another is added.
    package static func statements(_ bound: NameBound, sum: String, growth: String) -> [String] {
        func fold(where condition: String, behind kept: Int, to groups: [(names: String, group: String)]) -> [String] {
            let rest = """
                (SELECT * FROM tags WHERE \(condition)
                ORDER BY count DESC, last_time DESC, tag, kind, version LIMIT \(Int64.max) OFFSET \(kept)) AS rest
                """
            // The rows themselves go last: until then the rest is the same.
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

    /// ``PlausibleTime/first(_:_:)`` of many.
    private static let first = """
        coalesce(min(CASE WHEN first_time >= \(PlausibleTime.earliest) THEN first_time END), min(first_time))
        """
}
