import Daybook
import DaybookBase
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

/// Collectors may die at any moment: after the next start everyone due has been notified, and log and history agree.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct AlertCrashTests {
    /// A runner's outside world until its process dies: later effects never happened, and the file stays as it was.
    private final class Outside: HTTPTransport {
        private struct State {
            var said: [String] = []
            var sent: [Attributes] = []
            /// How many effects still happen.
            var left: Int
            /// The file at the time of death; `nil` before.
            var file: Data?
        }

        let path = TemporaryDirectory.current.file(UUID().uuidString)
        private let state: Mutex<State>

        init(endingAfter count: Int) { state = Mutex(State(left: count)) }

        var said: [String] { state.withLock(\.said) }
        var sent: [Attributes] { state.withLock(\.sent) }
        var hasEnded: Bool { state.withLock { $0.file != nil } }

        private func perform(_ body: (inout State) -> Void) {
            state.withLock { state in
                guard state.file == nil else { return }
                if state.left == 0 {
                    state.file = try? Data(contentsOf: URL(fileURLWithPath: path))
                    return
                }
                state.left -= 1
                body(&state)
            }
        }

        func say(_ line: String) { perform { $0.said.append(line) } }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard case .object(let message)? = try? JSONReader.value(of: request.body) else { throw Receiver.Silence() }
            let notices = message.objects("alerts")
            perform { $0.sent += notices.isEmpty ? [message] : notices }
            // The process may die between message and response.
            perform { _ in }
            return TransportResponse(status: 200, headers: [:], body: [])
        }

        /// Restarts with the saved file, for `count` more effects.
        func start(for count: Int) throws {
            try state.withLock { state in
                try state.file?.write(to: URL(fileURLWithPath: path))
                (state.file, state.left) = (nil, count)
            }
        }
    }

    private static let rules = AlertParser.parse(
        """
        # K
        ```sql
        SELECT tag AS label, count(*) FROM records WHERE level >= 17 GROUP BY tag
        ```
        - every 1m
        - when value > 0
        - notify http://hook.example/k

        # L
        ```sql
        SELECT count(*) FROM records WHERE level >= 17
        ```
        - every 1m
        - when value > 1
        - notify http://hook.example/l
        - notify http://other.example/l
        """, file: "a.md"
    ).rules

    private func runner(_ outside: Outside, _ collector: Collector) throws -> AlertRunner {
        try AlertRunner(
            rules: Self.rules, store: collector.store, file: AlertStateFile(path: outside.path),
            sender: AlertSender(secrets: .none, version: "1", transport: outside), jitter: { 0 }
        ) { _, message, _ in outside.say(message) }
    }

    /// Runs until the process dies or 8 minutes have passed; labels come and go at random.
    private func live(
        _ outside: Outside, _ collector: Collector, _ minute: inout Int64, _ dice: inout SeededGenerator
    ) async throws {
        let runner = try runner(outside, collector)
        for _ in 0..<8 where !outside.hasEnded {
            let tag = "a.\(Int.random(in: 0..<3, using: &dice))"
            if Bool.random(using: &dice) {
                let row = RecordRow(uid: "\(minute)", time: 1, kind: .error, level: 17, tag: tag)
                try await collector.store.append(RecordBatch(rows: [row]))
            } else {
                var filter = RecordFilter()
                filter.narrow(by: .tag(tag))
                try await collector.store.erase(filter)
            }
            minute += 1
            await runner.evaluate(at: minute * 60_000_000_000)
            await runner.deliver(at: minute * 60_000_000_000 + 1)
        }
    }

    /// A change, as history, log and messages report it.
    private struct Change: Hashable {
        var alert: String
        var label: String
        var status: String
    }

    @Test("Wherever the process dies, fired alerts are sent, logged and recorded", arguments: 0..<8)
    func alertsSurviveKills(seed: UInt64) async throws {
        // Some seed stops after each effect, and some processes die as soon as they start.
        for count in stride(from: seed % 4, to: 24, by: 4).map(Int.init) {
            var dice = SeededGenerator(seed: seed)
            let kills = count % 3 + 1
            let collector = try Collector()
            let outside = Outside(endingAfter: count)
            var minute: Int64 = 0
            for kill in 1...kills {
                try await live(outside, collector, &minute, &dice)
                try outside.start(for: kill == kills ? .max : Int.random(in: 0..<6, using: &dice))
            }
            // Everything that fired has ended before the last start.
            var all = RecordFilter()
            all.narrow(by: .tag("a.*"))
            try await collector.store.erase(all)
            let last = try runner(outside, collector)
            minute += 1
            await last.evaluate(at: minute * 60_000_000_000)
            await last.deliver(at: minute * 60_000_000_000 + 1)

            let state = await last.state
            #expect(state.outbox.isEmpty && state.lines.isEmpty)
            for rule in Self.rules {
                let events = state.histories[rule.name]?.events.filter { [.fired, .resolved].contains($0.kind) } ?? []
                var changes: [Change: Int] = [:]
                for event in events {
                    let status = event.kind == .fired ? "firing" : "resolved"
                    changes[Change(alert: rule.name, label: event.label ?? "", status: status), default: 0] += 1
                    let time = Timestamp(nanoseconds: event.time).rfc3339(fractionDigits: 3)
                    let messages = outside.sent.count {
                        $0.text("alert") == rule.name && ($0.text("label") ?? "") == event.label ?? ""
                            && $0.text("status") == status && $0.text("time") == time
                    }
                    let targets = rule.targets.count
                    #expect(
                        (targets...(targets * (1 + kills))).contains(messages),
                        "\(seed) \(count): \(messages) of \(status) \(event.label ?? "") at \(time)")
                }
                for (change, count) in changes {
                    let label = change.label.isEmpty ? "" : " (\(change.label))"
                    let lines = outside.said.count {
                        $0.hasPrefix("The alert \(change.alert)\(label) is \(change.status):")
                    }
                    #expect((count...(count + kills)).contains(lines), "\(seed) \(count): \(lines) of \(change)")
                }
                // No message is about something that did not happen.
                for message in outside.sent where message.text("alert") == rule.name {
                    #expect(
                        events.contains {
                            Timestamp(nanoseconds: $0.time).rfc3339(fractionDigits: 3) == message.text("time")
                        })
                }
                let lines = outside.said.count { $0.hasPrefix("The alert \(rule.name) ") }
                #expect((events.count...(events.count + kills * 8)).contains(lines))
            }
        }
    }

    @Test("Saves a mute before logging it") func savesMuteBeforeLogging() async throws {
        let collector = try Collector()
        let outside = Outside(endingAfter: 0)
        #expect(await (try runner(outside, collector)).mute("K", for: 60, by: "ann", at: 1))
        #expect(outside.said.isEmpty && outside.hasEnded)
        try outside.start(for: .max)
        let second = try runner(outside, collector)
        await second.evaluate(at: 2)
        #expect(await second.state.mutes["K"]?.by == "ann")
        #expect(outside.said.count == 1 && outside.said[0].hasSuffix(", by ann."), "\(outside.said)")
        let third = try runner(outside, collector)
        await third.evaluate(at: 3)
        #expect(outside.said.count == 1)
    }
}
