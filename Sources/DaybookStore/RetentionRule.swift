import DaybookBase

/// How long records are kept: `90d` all of them, `7d debug.**` those of a tag pattern.
public struct RetentionRule: Sendable, Hashable, CustomStringConvertible {
    /// Which tags; `**` for all.
    public var pattern: String
    /// Age in nanoseconds, by the record's own time.
    public var age: Int64

    /// A rule.
    public init(pattern: String = "**", age: Int64) {
        self.pattern = pattern
        self.age = age
    }

    /// The longest age, in seconds: 100,000 days, so that nanoseconds fit into 64 bits.
    private static let longest: Int64 = 100_000 * 86_400

    /// Reads `90d`, `12h debug.**`, `4w`: a whole number of minutes (`m`), hours (`h`), days (`d`) or weeks (`w`), at most
    /// 100,000 days, and perhaps a tag pattern.
    /// - Throws: ``StoreError``, `badStatement`.
    public init(_ text: String) throws(StoreError) {
        let parts = text.split(separator: " ")
        guard (1...2).contains(parts.count),
            let seconds = DurationText.seconds(parts[0], units: [.minute, .hour, .day, .week]),
            (1...Self.longest).contains(seconds)
        else {
            throw StoreError(
                .badStatement,
                "“\(text)” is no retention rule. Write a whole number and m, h, d or w, at most 100000 days, then perhaps "
                    + "a tag pattern: 90d, or 7d debug.**")
        }
        let pattern = parts.count == 2 ? String(parts[1]) : "**"
        do {
            _ = try TagPattern(pattern)
        } catch {
            throw StoreError(.badStatement, "“\(text)” is no retention rule: \(error)")
        }
        self.init(pattern: pattern, age: seconds * 1_000_000_000)
    }

    public var description: String {
        let minutes = age / 60_000_000_000
        let units: [(Int64, String)] = [(1_440, "d"), (60, "h"), (1, "m")]
        let (size, name) = units.first { minutes % $0.0 == 0 } ?? (1, "m")
        return "\(minutes / size)\(name)" + (pattern == "**" ? "" : " \(pattern)")
    }

    /// What is to be erased at a time. A rule with a pattern wins over rules for all tags, a later one over an earlier one.
    package static func expired(_ rules: [RetentionRule], now: Int64) -> [RecordFilter] {
        let ordered = rules.filter { $0.pattern == "**" } + rules.filter { $0.pattern != "**" }
        return ordered.indices.map { index in
            var filter = RecordFilter()
            filter.tag = ordered[index].pattern
            filter.until = now - ordered[index].age
            filter.excluding = ordered[(index + 1)...].map { later in
                var exception = RecordFilter()
                exception.tag = later.pattern
                return exception
            }
            return filter
        }
    }
}

extension EventStore {
    /// Erases what the rules no longer keep. A rule with a tag pattern wins over one for all tags, and of two that
    /// match the later one; a record that no rule matches is kept.
    /// - Parameter now: nanoseconds since 1970.
    /// - Returns: how many records were erased.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func retain(_ rules: [RetentionRule], now: Int64) async throws -> Int64 {
        var erased: Int64 = 0
        for filter in RetentionRule.expired(rules, now: now) { erased += try await erase(filter) }
        return erased
    }
}
