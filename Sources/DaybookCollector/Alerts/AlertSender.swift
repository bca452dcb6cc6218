import Daybook
import DaybookBase
import Foundation

/// Sends messages to targets, once. Safe to share between threads.
struct AlertSender: Sendable {
    /// Why a message was not taken.
    struct Refusal: Sendable {
        /// The end of a sentence, in our words: `it answered 404`.
        var reason: String
        /// More of it, in parentheses, for those who manage alone: the target has a say in it. Empty where there is none.
        var answer = ""
        /// When the target wants to be asked again, in nanoseconds from now, if it says so.
        var retryAfter: Int64?

        var whole: String { reason + answer }
    }

    let secrets: AlertSecrets
    let userAgent: String
    let transport: any HTTPTransport
    /// For the whole of a message and its answer.
    var deadline: Duration = .seconds(10)

    /// Sends a message.
    /// - Parameter now: nanoseconds since 1970.
    /// - Returns: `nil` where it was taken.
    func send(_ message: AlertMessage, to destination: AlertTarget.Destination, at now: Int64) async -> Refusal? {
        let (type, body) = message.body(for: destination.kind)
        var headers = ["content-type": type, "user-agent": userAgent]
        headers["x-chatworktoken"] = destination.token
        let request = TransportRequest(url: destination.url, headers: headers, body: body, timeout: deadline)
        do {
            let answer = try await transport.send(request)
            return (200...299).contains(answer.status) ? nil : Refusal(answer, destination.isSecret, at: now)
        } catch {
            let words = error.localizedDescription.printable
            return Refusal(
                reason: "it did not answer",
                answer: destination.isSecret ? " (why is not shown: the address is secret)" : " (\(words))")
        }
    }
}

extension AlertSender.Refusal {
    /// More would be a target's way to silence an alert.
    private static let longestPause: Duration = .seconds(3_600)

    /// Services say in a few words what they do not like. Some repeat what they were asked for, in whatever encoding: of a
    /// target whose address or token is secret nothing is kept but the status and how long its answer is.
    fileprivate init(_ answer: TransportResponse, _ isSecret: Bool, at now: Int64) {
        let line = String(decoding: answer.body.prefix(200), as: UTF8.self).printable
        let words =
            isSecret
            ? "\(answer.body.count) bytes, not shown: the address is secret"
            : String(line.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(120))
        reason = "it answered \(answer.status)"
        self.answer = answer.body.isEmpty || words.isEmpty ? "" : " (\(words))"
        retryAfter = RetryAfter.wait(answer.headers["retry-after"], now: now).map { wait in
            let (seconds, rest) = min(wait, Self.longestPause).components
            return seconds * 1_000_000_000 + rest / 1_000_000_000
        }
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

/// A test message to every target of an alert, which says that it is one.
package enum AlertTest {
    /// What became of it at one target.
    package struct Outcome: Sendable {
        /// As it is written, but for what could be secret.
        package var target: String
        /// Why it was not taken; `nil` where it was.
        package var failure: String?
    }

    /// Sends the message, once.
    /// - Parameters:
    ///   - secrets: for `${NAME}`.
    ///   - now: nanoseconds since 1970.
    package static func send(
        _ rule: AlertRule, secrets: AlertSecrets, version: String,
        transport: any HTTPTransport = DefaultTransport(), at now: Int64
    ) async -> [Outcome] {
        let sender = AlertSender(secrets: secrets, userAgent: "daybook/\(version)", transport: transport)
        let notice = AlertNotice(
            alert: rule.name, status: .test, label: "", reason: "a test message; nothing is wrong", since: now,
            time: now
        )
        var outcomes: [Outcome] = []
        for target in rule.targets {
            let shown = AlertTarget.shown(target)
            switch AlertTarget.resolve(target, secrets: secrets) {
            case .failure(let problem): outcomes.append(Outcome(target: shown, failure: problem.message))
            case .success(let destination):
                let refusal = await sender.send(AlertMessage([(notice, rule)]), to: destination, at: now)
                outcomes.append(Outcome(target: shown, failure: refusal?.whole))
            }
        }
        return outcomes
    }
}
