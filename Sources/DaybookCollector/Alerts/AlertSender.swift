import Daybook
import DaybookBase
import Foundation

/// Sends a message to a target, without retry. Thread-safe.
package struct AlertSender: Sendable {
    struct Refusal: Sendable {
        /// A sentence ending in our own words: `it answered 404`.
        var reason: String
        /// The target's own words, in parentheses; only managers see them. May be empty.
        var answer = ""
        /// The target's requested delay before a retry, in nanoseconds from now.
        var retryAfter: Int64?

        var whole: String { reason + answer }
    }

    let secrets: AlertSecrets
    let userAgent: String
    let transport: any HTTPTransport
    /// For the whole request and response.
    var deadline: Duration = .seconds(10)

    /// - Parameter version: the collector's, for the user agent.
    package init(secrets: AlertSecrets, version: String, transport: any HTTPTransport = DefaultTransport()) {
        (self.secrets, self.transport, userAgent) = (secrets, transport, "daybook/\(version)")
    }

    /// - Parameter now: nanoseconds since 1970.
    /// - Returns: `nil` if accepted.
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
    /// A longer delay would let a target silence an alert.
    private static let longestPause: Duration = .seconds(3_600)

    /// Services explain a refusal in a few words, but some echo the request in any encoding: for a secret address or
    /// token, only the status and the response's length are kept.
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

/// Retry policy for notices (pure): exponential backoff from 1 s to 5 min with full jitter, for a day.
///
/// Source: M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015.
enum AlertRetry {
    /// How long to retry a notice, in nanoseconds.
    static let lifetime: Int64 = 86_400_000_000_000

    /// Nanoseconds until the next attempt.
    /// - Parameter jitter: a random number in 0..<1.
    static func delay(attempts: Int, jitter: Double) -> Int64 {
        let ceiling = min(300, Double(Int64(1) << min(max(attempts - 1, 0), 20)))
        return Int64(ceiling * jitter * 1e9)
    }
}

/// Limits log lines about failing targets (pure): the first failure, then one an hour, then the recovery.
struct AlertSilence: Sendable {
    private static let pause: Int64 = 3_600_000_000_000

    /// When it was last logged, by target, in nanoseconds since 1970.
    private var said: [String: Int64] = [:]

    /// Whether to log this failure; notes that it was.
    mutating func isWorthSaying(_ target: String, at now: Int64) -> Bool {
        // Also log when the clock was set back.
        if let last = said[target], (0..<Self.pause).contains(now - last) { return false }
        said[target] = now
        return true
    }

    /// Notes a success; returns whether the target had been failing.
    mutating func ends(_ target: String) -> Bool { said.removeValue(forKey: target) != nil }
}

/// Sends a test message, marked as such, to every target of an alert.
package enum AlertTest {
    package struct Outcome: Sendable {
        /// As in the file, without possible secrets.
        package var target: String
        /// Why it was rejected; `nil` if accepted.
        package var failure: String?
    }

    /// Sends the message once.
    /// - Parameters:
    ///   - secrets: for `${NAME}`.
    ///   - now: nanoseconds since 1970.
    package static func send(
        _ rule: AlertRule, secrets: AlertSecrets, version: String,
        transport: any HTTPTransport = DefaultTransport(), at now: Int64
    ) async -> [Outcome] {
        let sender = AlertSender(secrets: secrets, version: version, transport: transport)
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
