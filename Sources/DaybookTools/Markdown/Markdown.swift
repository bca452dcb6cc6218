import DaybookBase

/// Text of others within a report in Markdown.
package enum Markdown {
    /// Any text as a code span, which it cannot leave. Neither escapes nor entities keep GitHub and GitLab from making
    /// links of `#7`, of commits and of addresses, and from telling `@people`; code does.
    package static func text(_ text: some StringProtocol) -> String {
        // In bytes: a mark that follows a backtick makes another character of both.
        let line = text.printable
        let runs = line.utf8.split(whereSeparator: { $0 != backtick }).map(\.count)
        let fence = String(repeating: "`", count: (runs.max() ?? 0) + 1)
        let (first, last) = (line.utf8.first, line.utf8.last)
        // A reader takes one space from both ends, and a backtick at an end would lengthen the fence.
        let isPadded = line.isEmpty || first == backtick || last == backtick || first == 0x20 && last == 0x20
        return fence + (isPadded ? " \(line) " : line) + fence
    }

    /// The same in a cell of a table, which a bar would end.
    package static func cell(_ text: some StringProtocol) -> String {
        var cell: [UInt8] = []
        for byte in Self.text(text).utf8 {
            guard byte == UInt8(ascii: "|") else {
                cell.append(byte)
                continue
            }
            // Readers disagree about backslashes before a bar.
            cell += (cell.last == UInt8(ascii: "\\") ? "\\u{7c}" : "\\|").utf8
        }
        return String(decoding: cell, as: UTF8.self)
    }

    /// A link that shows its address; `nil` for what is not an address of the web.
    package static func link(_ address: String) -> String? {
        let isWeb = address.hasPrefix("https://") || address.hasPrefix("http://")
        guard isWeb, address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"<>\"\\^`{|}".utf8.contains($0) }) else {
            return nil
        }
        return "<\(address)>"
    }

    private static let backtick = UInt8(ascii: "`")
}
