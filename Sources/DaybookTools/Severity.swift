import DaybookBase

/// OpenTelemetry's severity numbers, 1 to 24 and 0 for none, by the names that loggers give their levels.
///
/// Source: OpenTelemetry Logs Data Model, *Severity Fields* and Appendix B, and OpenTelemetry's own bridges. Where two
/// loggers disagree about a name, the one with more senders decides: `critical` is Python's and .NET's highest level,
/// not syslog's third.
package enum Severity {
    /// What is read, in words, for an error's text.
    package static let description =
        Level.allCases.map(\.name).joined(separator: ", ")
        + ", another logger's name for one (notice, err, SEVERE, INFO2), or a severity number from 0 to 24"

    /// The number of a name, in any case, or of a number's digits; `nil` where it is neither.
    package static func number(of text: some StringProtocol) -> Int? {
        // Longer than any name with its prefix: nobody's text is copied for nothing.
        guard text.utf8.count <= 40 else { return nil }
        var name = text.lowercased()[...]
        while let first = name.unicodeScalars.first, isDecoration(first) { name.removeFirst() }
        while let last = name.unicodeScalars.last, isDecoration(last) { name.removeLast() }
        if let prefix = prefixes.first(where: { name.hasPrefix($0) }) { name.removeFirst(prefix.count) }
        if let number = numbers[String(name)] { return number }
        if let number = Int(name) { return (0...24).contains(number) ? number : nil }
        // The data model's short names: four numbers to a level.
        guard let step = name.last?.wholeNumberValue, (2...4).contains(step),
            let base = shortNames.firstIndex(of: String(name.dropLast()))
        else { return nil }
        return 4 * base + step
    }

    /// The number of a name or a number as JSON has it; `nil` where the value is none.
    package static func number(of value: Value) -> Int? {
        switch value {
        case .int(let number): (0...24).contains(number) ? Int(number) : nil
        case .double(let number): Int(exactly: number).flatMap { (0...24).contains($0) ? $0 : nil }
        case .string(let text): number(of: text)
        default: nil
        }
    }

    /// The numbers that a name means: all four of one of the six levels, and otherwise a single one.
    package static func numbers(of text: some StringProtocol) -> ClosedRange<Int>? {
        guard let number = number(of: text) else { return nil }
        guard Int(text) == nil, number % 4 == 1 else { return number...number }
        return number...number + 3
    }

    private static func isDecoration(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || "[]<>():".unicodeScalars.contains(scalar)
    }

    private static let shortNames = ["trace", "debug", "info", "warn", "error", "fatal"]

    /// Of constants in code; a longer one stands before what it begins with.
    private static let prefixes = [
        "severity_number_", "os_log_type_", "android_log_", "log_level_", "log_", "loglevel.", "level.",
    ]

    private static let numbers: [String: Int] = {
        // `off` is no record's level, as OpenTelemetry's log4j appender has it.
        let names: [(Int, String)] = [
            (0, "unspecified undefined unknown none notset off"),
            (1, "trace trc t verbose vrb v finest all silly"),
            (5, "debug dbg d finer"),
            (6, "fine"),
            (7, "config"),
            (9, "info inf i information informational log"),
            (10, "notice n default success"),
            (13, "warn wrn w warning"),
            (17, "error err e severe exception"),
            (21, "fatal ftl f fault critical crit c alert emergency emerg panic pnl dpanic assert a"),
        ]
        return names.reduce(into: [:]) { table, row in
            for name in row.1.split(separator: " ") { table[String(name)] = row.0 }
        }
    }()
}
