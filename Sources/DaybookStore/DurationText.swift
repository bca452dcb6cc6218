/// Durations as people write them: a whole number and a unit, such as `30s`, `5m`, `12h`, `90d`, `4w`.
package enum DurationText {
    package enum Unit: Character, Sendable {
        case second = "s"
        case minute = "m"
        case hour = "h"
        case day = "d"
        case week = "w"

        fileprivate var seconds: Int64 {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3_600
            case .day: 86_400
            case .week: 604_800
            }
        }
    }

    /// The duration in seconds; `nil` unless `text` is a whole number and one of `units` and fits 64 bits.
    package static func seconds(_ text: some StringProtocol, units: [Unit]) -> Int64? {
        guard let unit = text.last.flatMap(Unit.init(rawValue:)), units.contains(unit),
            let count = Int64(text.dropLast())
        else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit.seconds)
        return overflow ? nil : seconds
    }

    /// The shortest text, in seconds, minutes, hours or days.
    package static func text(_ seconds: Int64) -> String {
        let unit = [Unit.day, .hour, .minute].first { seconds > 0 && seconds % $0.seconds == 0 } ?? .second
        return "\(seconds / unit.seconds)\(unit.rawValue)"
    }
}
