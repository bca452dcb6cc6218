import DaybookBase
import DaybookStore
import Foundation

/// Where notices of an alert go.
package enum AlertTarget {
    /// The names in `${NAME}`; `nil` where one has no end or is no name.
    static func names(in text: some StringProtocol) -> [String]? {
        var names: [String] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { return nil }
            let name = rest[start.upperBound..<end]
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 == 0x5F || isLetterOrDigit($0) }) else { return nil }
            names.append(String(name))
            rest = rest[rest.index(after: end)...]
        }
        return names
    }

    /// Whether a text is an address, or comes to one if the environment has what it names.
    static func isTarget(_ text: Substring) -> Bool {
        guard let names = names(in: text) else { return false }
        return !names.isEmpty || url(String(text)) != nil
    }

    /// The address that a target stands for.
    /// - Throws: ``AlertProblem``'s message where a name is not set or the result is no address; it does not show values.
    package static func resolve(
        _ text: String, environment: [String: String]
    ) -> Result<URL, AlertTargetProblem> {
        var resolved = text
        for name in names(in: text) ?? [] {
            guard let value = environment[name], !value.isEmpty else {
                return .failure(.init(message: "the environment has no \(name), which `notify \(text)` wants"))
            }
            resolved = resolved.split(separator: "${\(name)}", omittingEmptySubsequences: false).joined(
                separator: value)
        }
        guard let url = url(resolved) else {
            return .failure(.init(message: "`notify \(text)` comes to no http or https address"))
        }
        return .success(url)
    }

    /// Whom a line in the log names: never the path, which is a secret of many services, nor a name and password.
    static func host(of url: URL) -> String {
        (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
    }

    static func url(_ text: String) -> URL? {
        // Foundation would escape a space, and send two addresses to the first one's host.
        guard !text.contains(where: \.isWhitespace), let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            url.host?.isEmpty == false
        else { return nil }
        return url
    }

    private static func isLetterOrDigit(_ unit: UInt8) -> Bool {
        (0x30...0x39).contains(unit) || (0x41...0x5A).contains(unit) || (0x61...0x7A).contains(unit)
    }
}

/// Why a target cannot be used; shows no values of the environment.
package struct AlertTargetProblem: Error, Sendable, CustomStringConvertible {
    var message: String
    package var description: String { message }
}

/// What a target is told: one JSON object; docs/formats/alerts.md lists its members.
enum AlertMessage {
    /// - Parameter rule: `nil` for an alert that is in no file any more.
    static func text(_ notice: AlertNotice, _ rule: AlertRule?) -> String {
        let label = notice.label.isEmpty ? "" : " (\(notice.label))"
        let summary = "\(notice.status == .firing ? "FIRING" : "RESOLVED"): \(notice.alert)\(label)"
        let why =
            notice.reason.map { ": " + $0 } ?? notice.value.map { ", value " + JSONWriter.text(.double($0)) } ?? ""
        return JSONWriter.text(
            [
                // Chat services show `text`; the rest is for programs.
                "text": .string(summary + why),
                "status": .string(notice.status.rawValue),
                "alert": .string(notice.alert),
                "label": notice.label.isEmpty ? .null : .string(notice.label),
                "value": notice.value.map { .double($0) } ?? .null,
                "reason": notice.reason.map { .string($0) } ?? .null,
                "condition": rule.map { .string($0.conditionText) } ?? .null,
                "since": .string(Timestamp(nanoseconds: notice.since).rfc3339(fractionDigits: 3)),
                "time": .string(Timestamp(nanoseconds: notice.time).rfc3339(fractionDigits: 3)),
                "description": rule.map { .string($0.prose) } ?? .null,
            ] as Attributes)
    }
}

extension AlertRule {
    /// When it fires, in its own words.
    package var conditionText: String {
        var parts = [condition?.text, firesWithoutData ? "no data" : nil].compactMap { $0 }
        if case .watch(let watch) = question { parts = ["not fulfilled over \(DurationText.text(watch.over))"] }
        return parts.joined(separator: " or ") + (duration > 0 ? " for \(DurationText.text(duration))" : "")
    }
}

/// When a notice that was not taken is tried again (pure): full jitter from 1 s up to 5 min, for a day.
///
/// Source: M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015.
enum AlertRetry {
    /// For how long a notice is worth telling, in nanoseconds.
    static let lifetime: Int64 = 86_400_000_000_000

    /// Nanoseconds to wait after so many attempts.
    /// - Parameter jitter: a random number in 0..<1.
    static func delay(attempts: Int, jitter: Double) -> Int64 {
        let ceiling = min(300, Double(Int64(1) << min(max(attempts - 1, 0), 20)))
        return Int64(ceiling * jitter * 1e9)
    }
}

/// Which targets take no notices, and when that is worth a line (pure): at first, then each hour, and when it is over.
struct AlertSilence: Sendable {
    private static let pause: Int64 = 3_600_000_000_000

    /// When it was last said, by target, in nanoseconds since 1970.
    private var said: [String: Int64] = [:]

    /// Notes that a target did not take a notice.
    mutating func isWorthSaying(_ target: String, at now: Int64) -> Bool {
        // A clock that was set back must not keep it quiet.
        if let last = said[target], (0..<Self.pause).contains(now - last) { return false }
        said[target] = now
        return true
    }

    /// Notes that a target took a notice; whether it had not before.
    mutating func ends(_ target: String) -> Bool { said.removeValue(forKey: target) != nil }
}
