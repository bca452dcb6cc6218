import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

/// The outbox against a model that remembers everything.
@Suite struct AlertOutboxTests {
    private func notice(
        _ label: String, _ status: AlertNotice.Status = .firing, alert: String = "A", at time: Int64 = 0
    ) -> AlertNotice { AlertNotice(alert: alert, status: status, label: label, since: 0, time: time) }

    @Test("A target that accepts messages receives every change") func sendsEveryChange() {
        var outbox = AlertOutbox()
        _ = outbox.add(notice("a"), to: "x")
        _ = outbox.add(notice("b"), to: "x")
        _ = outbox.add(notice("a", .resolved, at: 9), to: "x")
        #expect(outbox.take(for: "x", ofOneAlert: false, at: 9)?.message.notices == [notice("a"), notice("b")])
        #expect(outbox.take(for: "x", ofOneAlert: false, at: 9) == nil)
        outbox.accepted(by: "x")
        #expect(outbox.take(for: "x", ofOneAlert: false, at: 9)?.message.notices == [notice("a", .resolved, at: 9)])
        outbox.accepted(by: "x")
        #expect(outbox == AlertOutbox())
    }

    @Test("A target that refuses messages later receives only the latest notices") func mergesWaitingNotices() {
        var outbox = AlertOutbox()
        _ = outbox.add(notice("a"), to: "x")
        _ = outbox.add(notice("a"), to: "y")
        _ = outbox.take(for: "x", ofOneAlert: false, at: 0)
        // Nothing is dropped yet: the message may still be accepted.
        #expect(outbox.add(notice("a", .resolved, at: 1), to: "x") == 0)
        #expect(outbox.count == 3)
        #expect(outbox.refused(by: "x", nextTry: 5) == 1)
        _ = outbox.add(notice("b", at: 2), to: "x")
        _ = outbox.add(notice("a", at: 3), to: "x")
        #expect(outbox.take(for: "x", ofOneAlert: false, at: 4) == nil && outbox.due(at: 4) == ["y"])
        let (message, left) = outbox.take(for: "x", ofOneAlert: false, at: 5) ?? (.init(notices: [], merged: 0), 0)
        #expect(message == .init(notices: [notice("b", at: 2), notice("a", at: 3)], merged: 2) && left == 1)
        // Without a real attempt nothing changes.
        #expect(outbox.refused(by: "x", nextTry: nil) == 0)
        #expect(outbox.take(for: "x", ofOneAlert: false, at: 5)?.message == message)
    }

    @Test("A template target receives one alert per message") func templateSendsOneAlert() {
        var outbox = AlertOutbox()
        for alert in ["A", "B", "A"] { _ = outbox.add(notice(alert + "\(outbox.count)", alert: alert), to: "x") }
        #expect(outbox.take(for: "x", ofOneAlert: true, at: 0)?.message.notices.map(\.alert) == ["A", "A"])
        outbox.accepted(by: "x")
        #expect(outbox.take(for: "x", ofOneAlert: true, at: 0)?.message.notices.map(\.alert) == ["B"])
    }

    @Test("Saving and loading the outbox preserves it") func outboxRoundTrips() {
        var outbox = AlertOutbox()
        for label in ["a", "b", "a"] { _ = outbox.add(notice(label), to: "x") }
        _ = outbox.take(for: "x", ofOneAlert: false, at: 0)
        _ = outbox.refused(by: "x", nextTry: 0)
        _ = outbox.take(for: "x", ofOneAlert: false, at: 0)
        _ = outbox.add(notice("c"), to: "y")
        let again = AlertOutbox(outbox.all, merged: outbox.merged)
        #expect(again.all.map(\.notice) == outbox.all.map(\.notice) && again.merged == ["x": 1])
        var state = AlertState()
        state.outbox = outbox
        #expect((try? AlertState(text: state.text))?.outbox.merged == ["x": 1])
    }

    /// Many targets accept, refuse and stay silent in random order; sent, waiting and merged notices add up to all.
    @Test("The outbox is bounded per target and counts all it merges", arguments: 0..<20) func outboxCountsMerges(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var outbox = AlertOutbox()
        let targets = ["w", "x", "y", "z"]
        var (added, told, left, expired) = (0, 0, 0, 0)
        var (claimed, underWay) = ([String: Int](), [String: AlertOutbox.Message]())
        var latest: [String: [String: AlertNotice]] = [:]
        for step in 0..<6_000 {
            let now = Int64(step)
            let target = targets.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<7:
                let notice = notice(
                    "\(Int.random(in: 0..<3_000, using: &random))", Bool.random(using: &random) ? .firing : .resolved,
                    at: now)
                added += 1
                left += outbox.add(notice, to: target)
                latest[target, default: [:]][notice.label] = notice
            case 7:
                guard let (message, leftOut) = outbox.take(for: target, ofOneAlert: false, at: now) else { break }
                left += leftOut
                underWay[target] = message
            case 8:
                guard let message = underWay.removeValue(forKey: target) else { break }
                if target == "z" || Bool.random(using: &random) {
                    left += outbox.refused(by: target, nextTry: now + 10)
                } else {
                    outbox.accepted(by: target)
                    told += message.notices.count
                    claimed[target, default: 0] += message.merged
                }
            default:
                guard Int.random(in: 0..<50, using: &random) == 0 else { break }
                let before = outbox.merged
                expired += outbox.expire(before: now - 2_000).reduce(0) { $0 + $1.notices.count }
                // If nothing waits, there is no next message.
                for (target, count) in before where outbox.merged[target] == nil {
                    claimed[target, default: 0] += count
                }
            }
            #expect(added == told + left + expired + outbox.count)
            #expect(outbox.count <= targets.count * 3 * AlertOutbox.most)
        }
        // The next accepted message reports how many were dropped.
        #expect(left == claimed.values.reduce(0, +) + outbox.merged.values.reduce(0, +))
        // The last waiting notice of a label is its latest.
        var waiting: [String: [String: AlertNotice]] = [:]
        for (notice, target, _) in outbox.all { waiting[target, default: [:]][notice.label] = notice }
        for (target, notices) in waiting {
            for (label, notice) in notices { #expect(latest[target]?[label] == notice) }
        }
    }
}
