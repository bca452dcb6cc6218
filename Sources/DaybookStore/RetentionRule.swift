import DaybookBase
import DaybookTools

/// How long to keep records: `90d` for all, `7d debug.**` for those of a tag pattern.
public struct RetentionRule: Sendable, Hashable, CustomStringConvertible {
    /// The tags that the rule covers; `**` for all.
    public var pattern: String
    /// The age in nanoseconds since arrival, so that a wrong own time neither erases a record at once nor keeps it
    /// forever. Without a noted arrival time, its own time counts.
    public var age: Int64

    public init(pattern: String = "**", age: Int64) {
        self.pattern = pattern
        self.age = age
    }

    /// A gap in arrivals of more than this, 30 days, puts the clock in doubt.
    static let longestSilence: Int64 = 30 * 86_400 * 1_000_000_000

    /// The longest age, in seconds: 100,000 days, so that nanoseconds fit 64 bits.
    private static let longest: Int64 = 100_000 * 86_400

    /// Parses `90d`, `12h debug.**`, `4w`: a whole number of minutes (`m`), hours (`h`), days (`d`) or weeks (`w`), at
    /// most 100,000 days, optionally followed by a tag pattern.
    /// - Throws: ``StoreError``, `badStatement`.
    public init(_ text: String) throws(StoreError) {
        let parts = text.split(separator: " ")
        guard (1...2).contains(parts.count),
            let seconds = DurationText.seconds(parts[0], units: [.minute, .hour, .day, .week]),
            (1...Self.longest).contains(seconds)
        else {
            throw StoreError(
                .badStatement,
                "“\(text)” is not a retention rule. Write a whole number and m, h, d or w, at most 100000 days, optionally followed by "
                    + "a tag pattern: 90d, or 7d debug.**")
        }
        let pattern = parts.count == 2 ? String(parts[1]) : "**"
        do {
            _ = try TagPattern(pattern)
        } catch {
            throw StoreError(.badStatement, "“\(text)” is not a retention rule: \(error)")
        }
        self.init(pattern: pattern, age: seconds * 1_000_000_000)
    }

    public var description: String {
        let minutes = age / 60_000_000_000
        let units: [(Int64, String)] = [(1_440, "d"), (60, "h"), (1, "m")]
        let (size, name) = units.first { minutes % $0.0 == 0 } ?? (1, "m")
        return "\(minutes / size)\(name)" + (pattern == "**" ? "" : " \(pattern)")
    }

    /// Filters for expired records; precedence as in ``RecordAccess/retain(_:now:trustsClock:)``.
    package static func expired(_ rules: [RetentionRule], now: Int64) -> [RecordFilter] {
        let ordered = rules.filter { $0.pattern == "**" } + rules.filter { $0.pattern != "**" }
        return ordered.indices.map { index in
            var filter = RecordFilter(.tag(ordered[index].pattern))
            let (until, overflows) = now.subtractingReportingOverflow(ordered[index].age)
            filter.receivedBefore = overflows ? .min : until
            for later in ordered[(index + 1)...] { filter.narrow(by: .not(.tag(later.pattern))) }
            return filter
        }
    }
}

extension RecordAccess {
    /// Erases what the rules no longer keep. A rule with a tag pattern precedes one for all tags; of two matching
    /// rules, the later counts; a record that no rule matches is kept.
    /// - Parameters:
    ///   - now: Nanoseconds since 1970.
    ///   - trustsClock: Whether to trust `now` despite a gap in arrivals. Default: `false`, because a clock that is
    ///     ahead would erase everything.
    /// - Returns: The number of erased records.
    /// - Throws: ``StoreError``; `clock` if something has expired and, within the last 30 days, there was a gap of more
    ///   than 30 days in arrivals; then nothing was erased.
    @discardableResult
    public func retain(_ rules: [RetentionRule], now: Int64, trustsClock: Bool = false) async throws -> Int64 {
        var erased: Int64 = 0
        var isTrusted = trustsClock
        for filter in RetentionRule.expired(rules, now: now) {
            // If nothing has expired, a wrong clock is harmless, and recently imported old records raise no alarm.
            if !isTrusted {
                guard try await contains(filter) else { continue }
                try await checkClock(now)
                isTrusted = true
            }
            erased += try await erase(filter)
        }
        return erased
    }

    private func contains(_ filter: RecordFilter) async throws -> Bool {
        var query = RecordQuery()
        (query.filter, query.order, query.limit) = (filter, .oldestFirst, 1)
        return try await !page(query).isEmpty
    }

    /// Trusts arrivals, not senders' times. After a gap, the clock is trusted again once records have arrived for as
    /// long as the gap.
    private func checkClock(_ now: Int64) async throws {
        let step = RetentionRule.longestSilence / 3
        for place in 0...3 as ClosedRange<Int64> {
            let (end, overflows) = now.subtractingReportingOverflow(place * step)
            let (silent, isBeyond) = end.subtractingReportingOverflow(RetentionRule.longestSilence)
            guard !overflows, !isBeyond else { return }
            var query = RecordQuery()
            query.limit = 1
            query.filter.receivedBefore = place == 0 ? nil : end
            guard let last = try await page(query).first else { return }
            query.filter.receivedBefore = silent
            (query.after, query.before) = (last.id - 1, last.id + 1)
            guard try await !page(query).isEmpty else { continue }
            throw StoreError(
                .clock,
                "This machine's clock says \(Timestamp(nanoseconds: now).rfc3339(fractionDigits: 0)), and of the 30 days before "
                    + "\(Timestamp(nanoseconds: end).rfc3339(fractionDigits: 0)) no record is there: nothing is erased by age, because "
                    + "the clock may be wrong. Retention resumes when records have arrived for 30 days; if the clock is "
                    + "right, `daybook erase --keep … --trust-clock` erases.")
        }
    }
}
