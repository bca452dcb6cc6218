import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// A version of the app beside another: how often each name came in both. Errors, violations, checklists and alerts of a
/// version have routes of their own, which the page asks.
struct ReleasesAPI: Sendable {
    /// Versions that are listed, the newest.
    private static let mostVersions = 100
    /// Names that are compared, the most frequent.
    private static let mostNames = 2_000
    /// Versions that are counted. Senders name them: where there are more, those with the fewest records go.
    private static let mostCounted = 5_000
    /// Names in all versions that are counted.
    private static let mostCells = 100_000
    /// How long the counts are read; what comes behind is not counted.
    private static let budget = Duration.seconds(10)

    /// The counts of all versions, within bounds whatever senders call theirs.
    private struct Counts {
        /// Versions that are asked for, and never go.
        let asked: Set<String>
        private(set) var releases: [String: Release] = [:]
        private(set) var names: [Name: [String: Int64]] = [:]
        private var cells = 0
        /// Whether something is left out.
        var isPartial = false

        init(asked: Set<String>) { self.asked = asked }

        mutating func add(_ summary: TagSummary, of version: String) {
            releases[version, default: Release(version, summary)].add(summary)
            let name = Name(tag: summary.tag, kind: summary.kind)
            if names[name]?[version] == nil { cells += 1 }
            names[name, default: [:]][version, default: 0].add(clamping: summary.count)
            if releases.count > mostCounted || cells > mostCells { halve() }
        }

        private mutating func halve() {
            isPartial = true
            if releases.count >= names.count {
                let kept = releases.values.sorted { $0.count > $1.count }.prefix(releases.count / 2)
                let versions = asked.union(kept.map(\.version))
                releases = releases.filter { versions.contains($0.key) }
                names = names.mapValues { $0.filter { versions.contains($0.key) } }.filter { !$0.value.isEmpty }
            } else {
                let sums = names.mapValues { $0.values.reduce(into: Int64(0)) { $0.add(clamping: $1) } }
                let kept = Set(sums.sorted { $0.value > $1.value }.prefix(names.count / 2).map(\.key))
                names = names.filter { kept.contains($0.key) }
            }
            cells = names.values.reduce(0) { $0 + $1.count }
        }
    }

    /// What is stored of a version.
    private struct Release {
        var version: String
        var count: Int64 = 0
        var firstTime: Int64
        var lastTime: Int64

        init(_ version: String, _ summary: TagSummary) {
            self.version = version
            (firstTime, lastTime) = (summary.firstTime, summary.lastTime)
        }

        mutating func add(_ summary: TagSummary) {
            count.add(clamping: summary.count)
            firstTime = PlausibleTime.first(firstTime, summary.firstTime)
            lastTime = max(lastTime, summary.lastTime)
        }
    }

    private struct Name: Hashable {
        var tag: String
        var kind: String
    }

    let store: any EventStore

    var routes: [HTTPRoute] {
        [HTTPRoute("GET", "/api/v1/releases", parameters: ["against", "version"]) { try await releases($0.query) }]
    }

    func releases(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var (wanted, wantedBefore) = (String?.none, String?.none)
        for (name, value) in parameters {
            if name == "version" { wanted = value } else { wantedBefore = value }
        }
        let counts = try await counts(asked: Set([wanted, wantedBefore].compactMap(\.self)))
        let releases = counts.releases
        let ordered = releases.values.map { (order: AppVersion($0.version), release: $0) }
            .sorted { $1.order < $0.order }
        for asked in [wanted, wantedBefore].compactMap(\.self) where releases[asked] == nil {
            throw Problem(.notFound, "No record has the version “\(asked)”.")
        }
        let version = wanted ?? ordered.first { $0.release.count > 0 }?.release.version
        // The one before it, and not merely another: what is newer is no measure.
        let before =
            wantedBefore
            ?? version.map { AppVersion($0) }.flatMap { version in
                ordered.first { $0.order < version && $0.release.count > 0 }?.release.version
            }
        var names: [(name: Name, count: Int64, before: Int64)] = []
        for (name, byVersion) in counts.names {
            let (count, past) = (byVersion[version ?? ""] ?? 0, byVersion[before ?? ""] ?? 0)
            if count > 0 || past > 0 { names.append((name, count, past)) }
        }
        names.sort {
            ($1.count, $1.before, $0.name.tag, $0.name.kind) < ($0.count, $0.before, $1.name.tag, $1.name.kind)
        }
        return Envelope.success {
            $0.object {
                $0.key("version")
                $0.string(version)
                $0.key("against")
                $0.string(before)
                $0.key("versions")
                $0.array(of: ordered.prefix(Self.mostVersions).map(\.release)) { writer, release in
                    writer.object {
                        $0.key("version")
                        $0.string(release.version)
                        $0.key("count")
                        $0.integer(release.count)
                        $0.key("first_time")
                        $0.decimal(release.firstTime)
                        $0.key("last_time")
                        $0.decimal(release.lastTime)
                    }
                }
                $0.key("names")
                $0.array(of: names.prefix(Self.mostNames)) { writer, name in
                    writer.object {
                        $0.key("tag")
                        $0.string(name.name.tag)
                        $0.key("kind")
                        $0.string(name.name.kind)
                        $0.key("count")
                        $0.integer(name.count)
                        $0.key("before")
                        $0.integer(name.before)
                    }
                }
                $0.key("more")
                $0.integer(Int64(max(0, names.count - Self.mostNames)))
                $0.key("partial")
                $0.bool(counts.isPartial)
            }
        }
    }

    private func counts(asked: Set<String>) async throws -> Counts {
        var counts = Counts(asked: asked)
        let deadline = ContinuousClock.now + Self.budget
        var position: TagPosition?
        repeat {
            let page = try await store.tagSummaries(after: position)
            for summary in page.summaries {
                guard let version = summary.version, !OwnRecords.have(summary.tag) else { continue }
                counts.add(summary, of: version)
            }
            position = page.next
            try Task.checkCancellation()
        } while position != nil && ContinuousClock.now < deadline
        counts.isPartial = counts.isPartial || position != nil
        return counts
    }
}

/// A version among others as people number them: `4.9.0` before `4.12.0`, `4.12.0-beta.2` before `4.12.0`.
struct AppVersion: Comparable {
    private let text: String
    /// Runs of digits, and each other character by itself.
    private let parts: [String]

    init(_ text: String) {
        self.text = text
        var parts: [String] = []
        var digits = ""
        for character in text {
            if character.isASCIIDigit {
                digits.append(character)
                continue
            }
            if !digits.isEmpty { parts.append(digits) }
            digits = ""
            parts.append(String(character))
        }
        self.parts = digits.isEmpty ? parts : parts + [digits]
    }

    /// Different texts always have an order.
    static func < (left: AppVersion, right: AppVersion) -> Bool {
        let (one, other) = (left.parts, right.parts)
        for index in 0..<max(one.count, other.count) {
            guard index < one.count else { return other[index] != "-" }
            guard index < other.count else { return one[index] == "-" }
            let (a, b) = (one[index], other[index])
            guard a != b else { continue }
            guard let first = number(a), let second = number(b) else {
                // What is before a release stands behind a hyphen.
                if a == "-" || b == "-" { return a == "-" }
                return a.utf8.lexicographicallyPrecedes(b.utf8)
            }
            if first != second { return first.count == second.count ? first < second : first.count < second.count }
        }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Digits without zeros before them; `nil` for anything else.
    private static func number(_ part: String) -> String? {
        guard part.first?.isASCIIDigit == true else { return nil }
        return String(part.drop { $0 == "0" })
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
