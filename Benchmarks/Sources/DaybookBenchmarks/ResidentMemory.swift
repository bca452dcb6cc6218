import Foundation

/// This process's memory on Linux; 0 elsewhere.
enum ResidentMemory {
    /// Current anonymous memory in bytes, without mapped files.
    static var current: Int { kibibytes("RssAnon:") << 10 }

    private static func kibibytes(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
    }
}
