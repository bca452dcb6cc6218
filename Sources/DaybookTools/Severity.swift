import DaybookBase

/// OpenTelemetry's severity numbers, 1 to 24 and 0 for none, by loggers' level names.
///
/// Source: OpenTelemetry Logs Data Model, *Severity Fields* and Appendix B, and OpenTelemetry's own bridges. If loggers
/// disagree about a name, the more common one wins: `critical` is Python's and .NET's highest level, not syslog's
/// third.
package enum Severity {
    /// The accepted forms, for error messages.
    package static let description =
        Level.allCases.map(\.name).joined(separator: ", ")
        + ", another logger's name for one (notice, err, SEVERE, INFO2), or a severity number from 0 to 24"

    /// The number of a name in any case, or of digits; `nil` if it is neither.
    package static func number(of text: some StringProtocol) -> Int? {
        // Longer than any name with a prefix: avoids copying long texts.
        guard text.utf8.count <= 40 else { return nil }
        if let number = priority(text) { return number }
        let name = plain(text)
        if let number = numbers[name] ?? dataModel(name) ?? slog(name) { return number }
        if let number = Int(name) { return (0...24).contains(number) ? number : nil }
        let member = member(name)
        if let prefix = prefixes.first(where: { member.hasPrefix($0) }) {
            let rest = String(member.dropFirst(prefix.count))
            return numbers[rest] ?? dataModel(rest) ?? Int(rest).flatMap { (0...24).contains($0) ? $0 : nil }
        }
        guard member != name || member.hasPrefix("level") || member.hasSuffix("level") else { return nil }
        let bare = member.hasPrefix("level") ? String(member.dropFirst(5)) : member
        return numbers[bare] ?? numbers[bare.hasSuffix("level") ? String(bare.dropLast(5)) : bare] ?? dataModel(bare)
    }

    /// syslog levels as sd-daemon and the Linux kernel prefix messages, `<3>`: the last three bits.
    private static func priority(_ text: some StringProtocol) -> Int? {
        guard text.hasPrefix("<"), text.hasSuffix(">"), let number = Int(text.dropFirst().dropLast()),
            (0...191).contains(number)
        else { return nil }
        return [21, 21, 21, 17, 13, 10, 9, 5][number % 8]
    }

    /// A text without terminal colours, brackets and spaces; lowercase, half-width.
    private static func plain(_ text: some StringProtocol) -> String {
        var name = ""
        var isColour = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x1B: isColour = true
            case _ where isColour: isColour = !scalar.properties.isAlphabetic
            case 0xFF01...0xFF5E: name.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
            default: name.unicodeScalars.append(scalar)
            }
        }
        var rest = name.lowercased()[...]
        while let first = rest.unicodeScalars.first, isDecoration(first) { rest.removeFirst() }
        while let last = rest.unicodeScalars.last, isDecoration(last) { rest.removeLast() }
        return String(rest)
    }

    /// The data model's short names: four numbers per level.
    private static func dataModel(_ name: String) -> Int? {
        guard let step = name.last?.wholeNumberValue, (2...4).contains(step),
            let base = shortNames.firstIndex(of: String(name.dropLast()))
        else { return nil }
        return 4 * base + step
    }

    /// Intermediate levels of Go's log/slog: `INFO+2`.
    private static func slog(_ name: String) -> Int? {
        guard let sign = name.firstIndex(where: { $0 == "+" || $0 == "-" }),
            ["debug", "info", "warn", "error"].contains(name[..<sign]), let base = numbers[String(name[..<sign])],
            let step = Int(name[sign...]), abs(step) < 100
        else { return nil }
        return min(max(base + step, 1), 24)
    }

    /// The last part of a constant's name: `Level.SEVERE`, `SeverityNumber.WARN`, `.error`.
    private static func member(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return name }
        let type = name[..<dot].split(separator: ".").last ?? ""
        let isOfLevels = type.isEmpty || types.contains(String(type)) || typeEndings.contains { type.hasSuffix($0) }
        let member = name[name.index(after: dot)...]
        return isOfLevels && member.first?.isLetter == true ? String(member) : name
    }

    /// The number of a JSON name or number; `nil` for other values.
    package static func number(of value: Value) -> Int? {
        switch value {
        case .int(let number): (0...24).contains(number) ? Int(truncatingIfNeeded: number) : nil
        case .double(let number): Int(exactly: number).flatMap { (0...24).contains($0) ? $0 : nil }
        case .string(let text): number(of: text)
        default: nil
        }
    }

    /// The numbers that a name covers: all four of one of the six levels, otherwise one.
    package static func numbers(of text: some StringProtocol) -> ClosedRange<Int>? {
        guard let number = number(of: text) else { return nil }
        guard Int(text) == nil, number % 4 == 1 else { return number...number }
        return number...number + 3
    }

    private static func isDecoration(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || "[]<>():".unicodeScalars.contains(scalar)
    }

    private static let shortNames = ["trace", "debug", "info", "warn", "error", "fatal"]

    /// Prefixes of constants; longer ones precede their own prefixes.
    private static let prefixes = ["severity_number_", "os_log_type_", "android_log_", "log_level_", "log_", "level_"]

    /// Types and modules whose members are levels.
    private static let types: Set = ["log", "logger", "logging", "logrus", "slog", "zap", "zapcore"]
    private static let typeEndings = ["level", "levels", "severity", "severitynumber"]

    private static let numbers: [String: Int] = {
        // `off` is not a record's level, as in OpenTelemetry's log4j appender.
        let names: [(Int, String)] = [
            (0, "unspecified undefined unknown none notset off"),
            (1, "trace trc trce trac t verbose vrb v finest all silly"),
            (5, "debug dbg dbug debu d finer debug1 debug5"),
            (6, "fine"),
            (7, "config http"),
            (9, "info inf i information informational log statement"),
            (10, "notice n default success"),
            (13, "warn wrn w warning"),
            (17, "error err erro fail e severe exception"),
            (
                21,
                "fatal ftl fata f fault shout wtf critical crit c alert emergency emerg panic pani pnl dpanic assert a"
            ),
        ]
        return names.reduce(into: [:]) { table, row in
            for name in row.1.split(separator: " ") { table[String(name)] = row.0 }
        }
    }()
}
