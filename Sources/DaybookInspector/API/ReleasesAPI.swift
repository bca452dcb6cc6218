import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Compares two versions of the app: how often each name occurred. The page gets their errors, violations, checklists
/// and alerts from other routes.
struct ReleasesAPI: Sendable {
    /// Versions listed, newest first.
    private static let mostVersions = 100
    /// Names compared, most frequent first.
    private static let mostNames = 2_000
    /// Time for reading counts; what remains then is not counted.
    private static let budget = Duration.seconds(10)

    /// The counts of all versions. The store bounds their number, whatever names senders use.
    private struct Counts {
        private(set) var releases: [String: Release] = [:]
        private(set) var names: [Name: [String: Int64]] = [:]
        var unlisted = UnlistedNames()
        var isPartial = false

        mutating func add(_ summary: TagSummary, of version: String) {
            releases[version, default: Release(version, summary)].add(summary)
            let name = Name(tag: summary.tag, kind: summary.kind)
            names[name, default: [:]][version, default: 0].add(clamping: summary.count)
        }
    }

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
        let counts = try await counts()
        let releases = counts.releases
        let ordered = releases.values.map { (order: AppVersion($0.version), release: $0) }
            .sorted { $1.order < $0.order }
        for asked in [wanted, wantedBefore].compactMap(\.self) where releases[asked] == nil {
            throw Problem(
                .notFound,
                counts.isPartial
                    ? "The version “\(asked)” is not among those that are listed: there are too many."
                    : "No record has the version “\(asked)”.")
        }
        let version = wanted ?? ordered.first { $0.release.count > 0 }?.release.version
        // The preceding version; a newer one is no baseline.
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
                $0.key("unlisted")
                UnlistedNames.form.write(counts.unlisted, to: &$0)
            }
        }
    }

    private func counts() async throws -> Counts {
        var counts = Counts()
        let deadline = ContinuousClock.now + Self.budget
        var position: TagPosition?
        repeat {
            let page = try await store.tagSummaries(after: position)
            for summary in page.summaries {
                guard let version = summary.version, !OwnRecords.have(summary.tag) else { continue }
                counts.add(summary, of: version)
            }
            position = page.next
            counts.unlisted = page.unlisted
            try Task.checkCancellation()
        } while position != nil && ContinuousClock.now < deadline
        counts.isPartial = position != nil || !counts.unlisted.isEmpty
        return counts
    }
}

/// A version, compared as people number versions: `4.9.0` before `4.12.0`, `4.12.0-beta.2` before `4.12.0`.
struct AppVersion: Comparable {
    private let text: String
    /// Runs of digits, and other characters one by one.
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

    /// Total: different texts are never equal.
    static func < (left: AppVersion, right: AppVersion) -> Bool {
        let (one, other) = (left.parts, right.parts)
        for index in 0..<max(one.count, other.count) {
            guard index < one.count else { return other[index] != "-" }
            guard index < other.count else { return one[index] == "-" }
            let (a, b) = (one[index], other[index])
            guard a != b else { continue }
            guard let first = number(a), let second = number(b) else {
                // A hyphen starts a prerelease.
                if a == "-" || b == "-" { return a == "-" }
                return a.utf8.lexicographicallyPrecedes(b.utf8)
            }
            if first != second { return first.count == second.count ? first < second : first.count < second.count }
        }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Digits without leading zeros; `nil` for anything else.
    private static func number(_ part: String) -> String? {
        guard part.first?.isASCIIDigit == true else { return nil }
        return String(part.drop { $0 == "0" })
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
