import DaybookBase

/// Counts unknown members by name, so that nothing is dropped silently.
package struct Unread: Sendable, Equatable {
    /// The most distinct names; further ones count as ``others``, because names come from outside.
    package static let most = 64
    /// In bytes; longer names are truncated.
    package static let longestName = 100
    package static let others = "(others)"

    package private(set) var counts: [String: Int] = [:]

    package init() {}

    package var isEmpty: Bool { counts.isEmpty }
    package var total: Int { counts.values.reduce(0, +) }

    package mutating func add(_ name: some StringProtocol, times: Int = 1) {
        let name = name.isEmpty ? "\"\"" : String(name).cut(toUTF8Bytes: Self.longestName)
        let key = counts[name] != nil || counts.count < Self.most ? name : Self.others
        counts[key, default: 0] += times
    }

    /// Names of which only the last value is read.
    package mutating func add(namesOf repeated: [String]) {
        for name in repeated { add("\(name) given twice") }
    }

    /// A text's flaws, which are repaired.
    package mutating func add(_ flaws: TextFlaws, of text: some StringProtocol, times: Int = 1) {
        for flaw in flaws.names { add("\(text) \(flaw)", times: times) }
    }

    package mutating func add(_ other: Unread) {
        for (name, times) in other.counts.sorted(by: { $0.key < $1.key }) { add(name, times: times) }
    }

    /// Most frequent first: `resource (12), scope (3)`; at most `limit` names.
    /// - Parameter hint: a remark next to a name's count. Default: none.
    package func text(limit: Int = 8, hint: (_ name: String) -> String? = { _ in nil }) -> String {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let names = sorted.prefix(limit).map { name, count in
            "\(name) (\(count)" + (hint(name).map { ", \($0))" } ?? ")")
        }
        return (names + (sorted.count > limit ? ["\(sorted.count - limit) more"] : [])).joined(separator: ", ")
    }
}
