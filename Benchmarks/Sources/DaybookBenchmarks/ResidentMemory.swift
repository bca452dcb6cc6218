import Foundation

/// The memory of this process, as Linux tells it; 0 elsewhere.
enum ResidentMemory {
    /// Bytes of its own now, without what files are mapped.
    static var current: Int { kibibytes("RssAnon:") << 10 }

    private static func kibibytes(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
    }
}
