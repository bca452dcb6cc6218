import DaybookBase

/// Embeds foreign text in a Markdown report.
package enum Markdown {
    /// A text as a code span that it cannot end. Only code keeps GitHub and GitLab from linking `#7`, commits and
    /// addresses, and from notifying `@people`; escapes and entities do not.
    package static func text(_ text: some StringProtocol) -> String {
        // In bytes: a combining mark after a backtick forms another character.
        let line = text.printable
        let runs = line.utf8.split(whereSeparator: { $0 != backtick }).map(\.count)
        let fence = String(repeating: "`", count: (runs.max() ?? 0) + 1)
        let (first, last) = (line.utf8.first, line.utf8.last)
        // One space at both ends is stripped, and a backtick at an end would lengthen the fence.
        let isPadded = line.isEmpty || first == backtick || last == backtick || first == 0x20 && last == 0x20
        return fence + (isPadded ? " \(line) " : line) + fence
    }

    /// As above, for a table cell, which a bar would end.
    package static func cell(_ text: some StringProtocol) -> String {
        var cell: [UInt8] = []
        for byte in Self.text(text).utf8 {
            guard byte == UInt8(ascii: "|") else {
                cell.append(byte)
                continue
            }
            // Renderers disagree about backslashes before a bar.
            cell += (cell.last == UInt8(ascii: "\\") ? "\\u{7c}" : "\\|").utf8
        }
        return String(decoding: cell, as: UTF8.self)
    }

    /// An autolink; `nil` if it is not a web address.
    package static func link(_ address: String) -> String? {
        let isWeb = address.hasPrefix("https://") || address.hasPrefix("http://")
        guard isWeb, address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"<>\"\\^`{|}".utf8.contains($0) }) else {
            return nil
        }
        return "<\(address)>"
    }

    private static let backtick = UInt8(ascii: "`")
}
