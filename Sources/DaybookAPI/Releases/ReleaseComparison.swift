import DaybookBase
import DaybookStore
import DaybookTools

package struct ReleaseQuestion: Sendable {
    /// Default: the newest.
    package var version: String?
    /// Default: the one before.
    package var against: String?

    package init(_ parameters: Parameters) {
        for (name, value) in parameters { if name == "version" { version = value } else { against = value } }
    }
}

/// How often each name occurred in two versions. Errors, violations, checklists and alerts have their own routes.
package struct ReleaseComparison: Sendable {
    package var version: String?
    package var against: String?
    package var versions: [ReleaseCount]
    package var names: [ComparedName]
    package var more: Int
    package var isPartial: Bool
    package var unlisted: UnlistedNames

    static let form = Form<ReleaseComparison>.object(
        "ReleaseComparison",
        .init(
            "version", .optional(.text),
            about: "The newest version unless another was asked for; null where no record has one.", \.version),
        .init("against", .optional(.text), \.against),
        .init("versions", .list(ReleaseCount.form), about: "The newest first.", \.versions),
        .init("names", .list(ComparedName.form), \.names),
        .init("more", .number, about: "How many names are left out.", \.more),
        .init("partial", .bool, about: "Whether there are more versions or names than are counted.", \.isPartial),
        .init(
            "unlisted", UnlistedNames.form,
            about: "How many records have names that the store's list has had no room for.", \.unlisted),
        make: ReleaseComparison.init)
}

package struct ComparedName: Sendable {
    package var tag: String
    package var kind: String
    package var count: Int64
    package var before: Int64

    fileprivate static let form = Form<ComparedName>.object(
        "ReleaseName", .init("tag", .text, \.tag), .init("kind", .text.named("Kind"), \.kind),
        .init("count", .integer, \.count), .init("before", .integer, \.before), make: ComparedName.init)
}

package struct ReleaseCount: Sendable {
    package var version: String
    package var count: Int64 = 0
    package var firstTime: Int64
    package var lastTime: Int64

    fileprivate static let form = Form<ReleaseCount>.object(
        "Release", .init("version", .text, \.version), .init("count", .integer, \.count),
        .init("first_time", .nanoseconds, \.firstTime), .init("last_time", .nanoseconds, \.lastTime),
        make: ReleaseCount.init(version:count:firstTime:lastTime:))

    fileprivate mutating func add(_ summary: TagSummary) {
        count.add(clamping: summary.count)
        firstTime = PlausibleTime.first(firstTime, summary.firstTime)
        lastTime = max(lastTime, summary.lastTime)
    }
}

/// Counts of all versions, whose number the store bounds.
private struct ReleaseCounts {
    private struct Name: Hashable {
        var tag: String
        var kind: String
    }

    /// Time for reading counts; the rest is not counted.
    private static let budget = Duration.seconds(10)

    private(set) var releases: [String: ReleaseCount] = [:]
    private var names: [Name: [String: Int64]] = [:]
    private(set) var unlisted = UnlistedNames()
    private(set) var isPartial = false

    init(of store: any EventStore) async throws {
        let deadline = ContinuousClock.now + Self.budget
        var position: TagPosition?
        repeat {
            let page = try await store.tagSummaries(after: position)
            for summary in page.summaries {
                guard let version = summary.version, !OwnRecords.have(summary.tag) else { continue }
                add(summary, of: version)
            }
            position = page.next
            unlisted = page.unlisted
            try Task.checkCancellation()
        } while position != nil && ContinuousClock.now < deadline
        isPartial = position != nil || !unlisted.isEmpty
    }

    private mutating func add(_ summary: TagSummary, of version: String) {
        let first = ReleaseCount(version: version, firstTime: summary.firstTime, lastTime: summary.lastTime)
        releases[version, default: first].add(summary)
        names[Name(tag: summary.tag, kind: summary.kind), default: [:]][version, default: 0].add(
            clamping: summary.count)
    }

    /// The most frequent first.
    func names(of version: String?, against before: String?) -> [ComparedName] {
        names.map { name, counts in
            ComparedName(
                tag: name.tag, kind: name.kind, count: counts[version ?? ""] ?? 0, before: counts[before ?? ""] ?? 0)
        }.filter { $0.count > 0 || $0.before > 0 }.sorted {
            ($1.count, $1.before, $0.tag, $0.kind) < ($0.count, $0.before, $1.tag, $1.kind)
        }
    }
}

extension ReleaseQuestion {
    /// Versions listed, newest first.
    private static let mostVersions = 100
    /// Names compared, most frequent first.
    private static let mostNames = 2_000

    /// - Throws: ``StoreError``, or ``Problem`` for an unknown version.
    package func answer(from store: any EventStore) async throws -> ReleaseComparison {
        let counts = try await ReleaseCounts(of: store)
        let ordered = counts.releases.values.map { (order: AppVersion($0.version), release: $0) }
            .sorted { $1.order < $0.order }
        for asked in [version, against].compactMap(\.self) where counts.releases[asked] == nil {
            throw Problem(
                .notFound,
                counts.isPartial
                    ? "The version “\(asked)” is not among those that are listed: there are too many."
                    : "No record has the version “\(asked)”.")
        }
        let version = version ?? ordered.first { $0.release.count > 0 }?.release.version
        // The preceding version; a newer one is no baseline.
        let before =
            against
            ?? version.map { AppVersion($0) }.flatMap { version in
                ordered.first { $0.order < version && $0.release.count > 0 }?.release.version
            }
        let names = counts.names(of: version, against: before)
        return ReleaseComparison(
            version: version, against: before, versions: ordered.prefix(Self.mostVersions).map(\.release),
            names: Array(names.prefix(Self.mostNames)), more: max(0, names.count - Self.mostNames),
            isPartial: counts.isPartial, unlisted: counts.unlisted)
    }
}
