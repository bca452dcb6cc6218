import DaybookBase
import DaybookDefinitions
import DaybookStore
import DaybookTools

/// A record's progress: numbered by its sender, delivered, stored, judged, and ready to be queried. The sender's
/// filters and attempts are unknown here.
package struct RecordExplanation: Sendable {
    package var stream: String?
    package var sequence: Int64?
    package var settled: SequenceInterval?
    package var ledger: StreamAccount?
    package var accounts: Int
    package var redacted: Int
    package var isDefined: Bool
    package var view: String?
    package var privateColumns: [String]
    package var sensitiveColumns: [String]

    static let form = Form<RecordExplanation>.object(
        "Explanation", .init("stream", .optional(.text), \.stream),
        .init("sequence", .optional(.integer), \.sequence),
        .init("settled", .optional(SequenceInterval.form), \.settled),
        .init("ledger", .optional(StreamAccount.form), \.ledger),
        .init(
            "accounts", .number,
            about:
                "How many accounts have the stream's name: of its outputs and signals, and of whoever else has named it.",
            \.accounts),
        .init("redacted", .number, about: "How many values were replaced before the record was stored.", \.redacted),
        .init("defined", .bool, \.isDefined), .init("view", .optional(.text), \.view),
        .init("private", .list(.text), \.privateColumns), .init("sensitive", .list(.text), \.sensitiveColumns),
        make: RecordExplanation.init)
}

extension SequenceInterval {
    fileprivate static let form = Form<SequenceInterval>.object(
        "Interval", FormField("after", .integer, about: "Not included; `through` is.") { Int64(clamping: $0.after) },
        FormField("through", .integer) { Int64(clamping: $0.through) }
    ) { SequenceInterval(after: UInt64(clamping: $0), through: UInt64(clamping: $1)) }
}

package struct StreamAccount: Sendable {
    package var stream: String
    package var stored: Int64
    package var duplicates: Int64
    package var gaps: [SequenceInterval]
    package var losses: [(reason: String, count: Int64)]

    fileprivate static let form = Form<StreamAccount>.object(
        "StreamAccount", .init("stream", .text, \.stream), .init("stored", .integer, \.stored),
        .init("duplicates", .integer, \.duplicates), .init("gaps", .list(SequenceInterval.form), \.gaps),
        .init("losses", .list(loss), \.losses), make: StreamAccount.init)

    private static let loss = Form<(reason: String, count: Int64)>.object(
        "ReportedLoss", .init("reason", .text, \.reason), .init("count", .integer, \.count)
    ) { ($0, $1) }
}

extension StreamAccount {
    fileprivate init(_ ledger: StreamLedger) {
        (stream, stored, duplicates, gaps) = (ledger.stream, ledger.stored, ledger.duplicates, ledger.gaps)
        losses = ledger.losses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension StreamLedger {
    fileprivate func interval(of number: UInt64) -> SequenceInterval? {
        settled.first { $0.after < number && number <= $0.through }
    }
}

extension RecordExplanation {
    /// - Throws: ``StoreError``.
    package init(
        _ record: StoredRecord, _ definitions: Definitions, masking: MaskingPolicy, from store: any EventStore
    ) async throws {
        let row = record.row
        let number = RecordLine.sequence(ofUID: row.uid)
        stream = number == nil ? nil : row.uid.split(separator: "-").first.map(String.init)
        var found: [StreamLedger] = []
        if let stream {
            var query = LedgerQuery()
            query.named = stream
            let owner = ContextFields(row.context).owner
            found = try await store.ledger(query).ledgers.filter { StreamOwner.owner(of: $0.stream) == owner }
        }
        accounts = found.count
        sequence = number.flatMap { Int64(exactly: $0) }
        let account = number.flatMap { Self.account(of: $0, row.kind, among: found) }
        ledger = account.map { StreamAccount($0) }
        settled = number.flatMap { account?.interval(of: $0) }
        let event = row.kind == .event ? definitions.event(tagged: row.tag) : nil
        (isDefined, view) = (event != nil, event == nil ? nil : SQLName.event(tag: row.tag))
        // Credentials scrubbed before storing, counted only in unmasked values.
        redacted = Self.shownValues(of: row, masking).reduce(0) {
            $0 + $1.ranges(of: CredentialScrubber.replacement).count
        }
        let columns = (event?.columns ?? []) + definitions.common
        sensitiveColumns = columns.filter { $0.classification == .sensitive }.map(\.name)
        // The event's private columns, and other private ones in the record.
        let own = columns.filter { $0.classification == .private }.map(\.name)
        let names = [row.attributes, row.context].flatMap { Self.members(of: $0).map(\.key) }
        privateColumns = own + names.filter { !own.contains($0) && masking.isPrivate($0, of: row.tag) }
    }

    private static func members(of json: String) -> [(key: String, value: Value)] {
        guard case .object(let members)? = try? JSONReader.value(of: Array(json.utf8)) else { return [] }
        return members.elements.map { ($0.key, $0.value) }
    }

    private static func shownValues(of row: RecordRow, _ policy: MaskingPolicy) -> [String] {
        let (all, masked) = (members(of: row.attributes), members(of: row.masked(by: policy).attributes))
        return zip(all, masked).filter { $0.value == $1.value }.map { JSONWriter.text($0.0.value) }
    }

    /// The record's stream. A record names neither output nor signal, so these are guessed.
    private static func account(of number: UInt64, _ kind: Kind, among accounts: [StreamLedger]) -> StreamLedger? {
        let signal = kind == .span || kind == .request ? "/traces" : "/logs"
        let fitting = accounts.filter { $0.interval(of: number) != nil }
        let rest = fitting.isEmpty ? accounts : fitting
        return rest.first { $0.stream.hasSuffix(signal) } ?? rest.first
    }
}
