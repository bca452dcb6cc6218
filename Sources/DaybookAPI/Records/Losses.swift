import DaybookBase
import DaybookStore
import DaybookTools

/// What an installation's senders report as lost for a reason.
package struct Loss: Sendable, Hashable {
    package var installation: String?
    package var version: String?
    /// The owner of the stream that reported it.
    package var owner: String?
    package var reason: String
    package var count: Int64 = 0

    fileprivate static let form = Form<Loss>.object(
        "Loss", .init("installation", .optional(.text), \.installation), .init("version", .optional(.text), \.version),
        .init("owner", .optional(.text), \.owner), .init("reason", .text, \.reason), .init("count", .integer, \.count),
        make: Loss.init)
}

/// Losses by installation, version, owner and reason, the largest first. Covers a page of senders; pages add up.
package struct LossesAnswer: Sendable {
    package var losses: [Loss]
    package var next: String?

    static let form = Form<LossesAnswer>.object(
        "LossPage", .init("losses", .list(Loss.form), \.losses), .init("next", .optional(.text), \.next),
        make: LossesAnswer.init)
}

extension LossesAnswer {
    /// - Throws: ``StoreError``, or ``Problem`` for a wrong parameter.
    package init(_ parameters: Parameters, from store: any EventStore) async throws {
        var query = LedgerQuery()
        for (name, value) in parameters {
            guard case .array(let names)? = try? JSONReader.value(of: Array(value.utf8)), names.count == 1,
                let stream = names[0].text
            else { throw Problem(.badRequest, "\(name) is the `next` of another answer, not “\(value)”.") }
            query.after = stream
        }
        let (ledgers, next) = Self.wholeSenders(try await store.ledger(query))
        losses = Self.sums(of: ledgers)
        self.next = next.map { JSONWriter.text(.array([.string($0)])) }
    }

    /// Drops the last sender, unless it is the only one: its other streams may be on the next page and repeat its
    /// losses.
    private static func wholeSenders(_ page: LedgerPage) -> (ledgers: [StreamLedger], next: String?) {
        guard page.next != nil, let last = page.ledgers.last.map({ StreamOwner.sender(of: $0.stream) }),
            let end = page.ledgers.firstIndex(where: { StreamOwner.sender(of: $0.stream) == last }), end > 0
        else { return (page.ledgers, page.next) }
        return (Array(page.ledgers[..<end]), AnswerBounds.position(after: page.ledgers[end - 1].stream))
    }

    private static func sums(of ledgers: [StreamLedger]) -> [Loss] {
        // An output's streams of logs and traces report the same losses.
        var senders: [String: StreamLedger] = [:]
        for stream in ledgers where !stream.losses.isEmpty {
            senders[StreamOwner.sender(of: stream.stream), default: stream].losses.merge(
                stream.losses, uniquingKeysWith: max)
        }
        var counts: [Loss: Int64] = [:]
        for sender in senders.values {
            for (reason, count) in sender.losses where count > 0 {
                let loss = Loss(
                    installation: sender.installation, version: sender.version,
                    owner: StreamOwner.owner(of: sender.stream), reason: reason)
                // Earlier versions stored any number. The page's size rules out overflow.
                counts[loss, default: 0] += min(count, LossReport.most)
            }
        }
        return counts.map { loss, count in
            var loss = loss
            loss.count = count
            return loss
        }.sorted {
            ($1.count, $0.reason, $0.installation ?? "", $0.version ?? "", $0.owner ?? "")
                < ($0.count, $1.reason, $1.installation ?? "", $1.version ?? "", $1.owner ?? "")
        }
    }
}
