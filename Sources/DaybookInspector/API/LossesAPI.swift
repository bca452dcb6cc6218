import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

struct LossesAPI: Sendable {
    private struct Key: Hashable {
        var installation: String?
        var version: String?
        /// The owner of the stream that reported it.
        var owner: String?
        var reason: String
    }

    let store: any EventStore

    var routes: [HTTPRoute] {
        [HTTPRoute("GET", "/api/v1/losses", parameters: ["after"]) { try await losses($0.query) }]
    }

    /// Losses by installation, version, owner and reason, the largest first; for a page of senders, whose counts add
    /// up.
    func losses(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var query = LedgerQuery()
        for (name, value) in parameters {
            guard case .array(let names)? = try? JSONReader.value(of: Array(value.utf8)), names.count == 1,
                let stream = names[0].text
            else { throw Problem(.badRequest, "\(name) is the `next` of another answer, not “\(value)”.") }
            query.after = stream
        }
        let page = try await store.ledger(query)
        let (ledgers, next) = Self.wholeSenders(page)
        let counts = Self.counts(ledgers)
        return Envelope.success {
            $0.object {
                $0.key("losses")
                $0.array(of: counts) { writer, entry in
                    writer.object {
                        $0.key("installation")
                        $0.string(entry.key.installation)
                        $0.key("version")
                        $0.string(entry.key.version)
                        $0.key("owner")
                        $0.string(entry.key.owner)
                        $0.key("reason")
                        $0.string(entry.key.reason)
                        $0.key("count")
                        $0.integer(entry.value)
                    }
                }
                $0.key("next")
                $0.string(next.map { JSONWriter.text(.array([.string($0)])) })
            }
        }
    }

    /// Drops the last sender, whose other streams may be on the next page and repeat its losses, unless it is the only
    /// one.
    private static func wholeSenders(_ page: LedgerPage) -> (ledgers: [StreamLedger], next: String?) {
        guard page.next != nil, let last = page.ledgers.last.map({ StreamOwner.sender(of: $0.stream) }),
            let end = page.ledgers.firstIndex(where: { StreamOwner.sender(of: $0.stream) == last }), end > 0
        else { return (page.ledgers, page.next) }
        return (Array(page.ledgers[..<end]), AnswerBounds.position(after: page.ledgers[end - 1].stream))
    }

    private static func counts(_ ledger: [StreamLedger]) -> [(key: Key, value: Int64)] {
        // An output's streams of logs and traces report the same losses.
        var senders: [String: StreamLedger] = [:]
        for stream in ledger where !stream.losses.isEmpty {
            senders[StreamOwner.sender(of: stream.stream), default: stream].losses.merge(
                stream.losses, uniquingKeysWith: max)
        }
        var counts: [Key: Int64] = [:]
        for sender in senders.values {
            for (reason, count) in sender.losses where count > 0 {
                let key = Key(
                    installation: sender.installation, version: sender.version,
                    owner: StreamOwner.owner(of: sender.stream), reason: reason)
                // Earlier versions stored any number. The page's size rules out overflow.
                counts[key, default: 0] += min(count, LossReport.most)
            }
        }
        return counts.sorted {
            ($1.value, $0.key.reason, $0.key.installation ?? "", $0.key.version ?? "", $0.key.owner ?? "")
                < ($0.value, $1.key.reason, $1.key.installation ?? "", $1.key.version ?? "", $1.key.owner ?? "")
        }
    }
}

/// A record's progress: numbered by its sender, delivered, stored, judged, and ready to be queried.
///
/// The sender's filters and attempts are not transmitted; the page says so.
struct ExplanationAPI: Sendable {
    let records: RecordsAPI
    let definitions: Definitions

    var routes: [HTTPRoute] {
        [HTTPRoute("GET", "/api/v1/records/{id}/explanation") { try await explain($0.number("id")) }]
    }

    /// The event's private columns, and other private columns that the record has.
    private func hidden(of row: RecordRow, _ columns: [Column]) -> [String] {
        let policy = records.disclosure.masking
        let names = [row.attributes, row.context].flatMap { text -> [String] in
            guard case .object(let members)? = try? JSONReader.value(of: Array(text.utf8)) else { return [] }
            return members.elements.map(\.key)
        }
        let own = columns.filter { $0.classification == .private }.map(\.name)
        return own + names.filter { !own.contains($0) && policy.isPrivate($0, of: row.tag) }
    }

    private static func shownValues(of row: RecordRow, _ policy: MaskingPolicy) -> [String] {
        let texts = [row.attributes, row.masked(by: policy).attributes]
        let values = texts.map { text -> [Value] in
            guard case .object(let members)? = try? JSONReader.value(of: Array(text.utf8)) else { return [] }
            return members.elements.map(\.value)
        }
        return zip(values[0], values[1]).filter { $0 == $1 }.map { JSONWriter.text($0.0) }
    }

    /// The account of the record's stream. A record does not name its output or signal, so these are guessed.
    private static func account(of number: UInt64, _ kind: Kind, among accounts: [StreamLedger]) -> StreamLedger? {
        let signal = kind == .span || kind == .request ? "/traces" : "/logs"
        let fitting = accounts.filter { $0.interval(of: number) != nil }
        let rest = fitting.isEmpty ? accounts : fitting
        return rest.first { $0.stream.hasSuffix(signal) } ?? rest.first
    }

    func explain(_ id: Int64) async throws -> HTTPResponse {
        let record = try await records.stored(id)
        let sequence = RecordLine.sequence(ofUID: record.row.uid)
        let stream = sequence == nil ? nil : record.row.uid.split(separator: "-").first.map(String.init)
        var accounts: [StreamLedger] = []
        if let stream {
            var query = LedgerQuery()
            query.named = stream
            let owner = ContextFields(record.row.context).owner
            accounts = try await records.store.ledger(query).ledgers.filter {
                StreamOwner.owner(of: $0.stream) == owner
            }
        }
        let ledger = sequence.flatMap { Self.account(of: $0, record.row.kind, among: accounts) }
        let settled = sequence.flatMap { ledger?.interval(of: $0) }
        let event = record.row.kind == .event ? definitions.event(tagged: record.row.tag) : nil
        // Credentials scrubbed before storing, counted in unmasked values only.
        let redacted = Self.shownValues(of: record.row, records.disclosure.masking).reduce(0) {
            $0 + $1.ranges(of: CredentialScrubber.replacement).count
        }
        let columns = (event?.columns ?? []) + definitions.common
        return Envelope.success {
            $0.object {
                $0.key("stream")
                $0.string(stream)
                $0.key("sequence")
                $0.integer(sequence.flatMap { Int64(exactly: $0) })
                $0.key("settled")
                $0.interval(settled)
                $0.key("ledger")
                if let ledger { $0.ledger(ledger) } else { $0.null() }
                $0.key("accounts")
                $0.integer(Int64(accounts.count))
                $0.key("redacted")
                $0.integer(Int64(redacted))
                $0.key("defined")
                $0.bool(event != nil)
                $0.key("view")
                $0.string(event == nil ? nil : SQLName.event(tag: record.row.tag))
                $0.key("private")
                $0.array(of: hidden(of: record.row, columns)) { $0.string($1) }
                $0.key("sensitive")
                $0.array(of: columns.filter { $0.classification == .sensitive }) { $0.string($1.name) }
            }
        }
    }
}

extension StreamLedger {
    fileprivate func interval(of number: UInt64) -> SequenceInterval? {
        settled.first { $0.after < number && number <= $0.through }
    }
}

extension JSONBuilder {
    fileprivate mutating func integer(_ number: Int64?) {
        if let number { integer(number) } else { null() }
    }

    fileprivate mutating func interval(_ interval: SequenceInterval?) {
        guard let interval else { return null() }
        object {
            $0.key("after")
            $0.integer(Int64(clamping: interval.after))
            $0.key("through")
            $0.integer(Int64(clamping: interval.through))
        }
    }

    fileprivate mutating func ledger(_ ledger: StreamLedger) {
        object {
            $0.key("stream")
            $0.string(ledger.stream)
            $0.key("stored")
            $0.integer(ledger.stored)
            $0.key("duplicates")
            $0.integer(ledger.duplicates)
            $0.key("gaps")
            $0.array(of: ledger.gaps) { $0.interval($1) }
            $0.key("losses")
            $0.array(of: ledger.losses.sorted { $0.key < $1.key }) { writer, loss in
                writer.object {
                    $0.key("reason")
                    $0.string(loss.key)
                    $0.key("count")
                    $0.integer(loss.value)
                }
            }
        }
    }
}
