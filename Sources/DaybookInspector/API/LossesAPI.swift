import DaybookHTTP
import DaybookStore

/// What senders say they have lost before it could be sent.
struct LossesAPI: Sendable {
    private struct Key: Hashable {
        var installation: String?
        var version: String?
        var reason: String
    }

    let store: any EventStore

    /// By installation, version and reason, the most first.
    func losses() async throws -> HTTPResponse {
        let counts = Self.counts(try await store.ledger())
        return Envelope.success {
            $0.object {
                $0.key("losses")
                $0.array(of: counts) { writer, entry in
                    writer.object {
                        $0.key("installation")
                        $0.string(entry.key.installation)
                        $0.key("version")
                        $0.string(entry.key.version)
                        $0.key("reason")
                        $0.string(entry.key.reason)
                        $0.key("count")
                        $0.integer(entry.value)
                    }
                }
            }
        }
    }

    private static func counts(_ ledger: [StreamLedger]) -> [(key: Key, value: Int64)] {
        // The streams of logs and traces of one output repeat the same losses.
        var senders: [String: StreamLedger] = [:]
        for stream in ledger where !stream.losses.isEmpty {
            let sender = stream.stream.split(separator: "/").prefix(2).joined(separator: "/")
            senders[sender, default: stream].losses.merge(stream.losses, uniquingKeysWith: max)
        }
        var counts: [Key: Int64] = [:]
        for sender in senders.values {
            for (reason, count) in sender.losses where count > 0 {
                let key = Key(installation: sender.installation, version: sender.version, reason: reason)
                // What senders say may be anything.
                let (sum, overflows) = counts[key, default: 0].addingReportingOverflow(count)
                counts[key] = overflows ? .max : sum
            }
        }
        return counts.sorted {
            ($1.value, $0.key.reason, $0.key.installation ?? "", $0.key.version ?? "")
                < ($0.value, $1.key.reason, $1.key.installation ?? "", $1.key.version ?? "")
        }
    }
}
