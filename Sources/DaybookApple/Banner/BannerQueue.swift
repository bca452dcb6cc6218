/// Which error a debug build shows over the app, and for how long. Pure: its owner has the clock and the screen.
///
/// Equal errors are one banner with a count. A flood must not hide the app: at most ``waitingLimit`` wait, what comes then
/// is only counted.
package struct BannerQueue: Sendable {
    package enum Action: Sendable, Hashable {
        /// Shows a text, in place of the one that is shown, and calls ``BannerQueue/timeIsUp()`` later.
        case show(String)
        case update(String)
        case hide
    }

    package static let waitingLimit = 3
    package static let time = Duration.seconds(4)

    private var shown: (text: String, count: Int)?
    private var waiting: [(text: String, count: Int)] = []
    private var uncounted = 0

    package init() {}

    package mutating func add(_ text: String) -> [Action] {
        guard let current = shown else {
            shown = (text, 1)
            return [.show(text)]
        }
        if current.text == text {
            shown = (text, current.count + 1)
            return [.update(Self.line(text, current.count + 1))]
        }
        if let index = waiting.firstIndex(where: { $0.text == text }) {
            waiting[index].count += 1
        } else if waiting.count < Self.waitingLimit {
            waiting.append((text, 1))
        } else {
            uncounted += 1
        }
        return []
    }

    /// The banner has been there for ``time``, or the user has dismissed it.
    package mutating func timeIsUp() -> [Action] {
        guard shown != nil else { return [] }
        if !waiting.isEmpty {
            let next = waiting.removeFirst()
            shown = next
            return [.show(Self.line(next.text, next.count))]
        }
        if uncounted > 0 {
            let text = "and \(uncounted) more"
            uncounted = 0
            shown = (text, 1)
            return [.show(text)]
        }
        shown = nil
        return [.hide]
    }

    private static func line(_ text: String, _ count: Int) -> String { count > 1 ? "\(text) (\(count)×)" : text }
}
