import Daybook
import DaybookStore

/// What the batches of one commit add to the accounts beside the records: pure.
struct BatchAccounts {
    struct TagKey: Hashable {
        var tag: String
        var kind: Kind
        var version: String
    }

    struct Account {
        var sender: String?
        var installation: String?
        var version: String?
        var stored: Int64 = 0
        var duplicates: Int64 = 0
    }

    struct LossKey: Hashable {
        var sender: String
        var reason: String
    }

    private(set) var tags: [TagKey: TagSummary] = [:]
    private(set) var sessions: [String: SessionSummary] = [:]
    private(set) var streams: [String: Account] = [:]
    private(set) var losses: [LossKey: Int64] = [:]
    private var contexts = ContextFieldsCache()

    /// Counts a row that is stored.
    mutating func add(_ row: RecordRow) {
        let fields = contexts.fields(of: row.context)
        if let session = row.session {
            sessions[session, default: SessionSummary(emptyFor: session)].add(
                time: row.time, level: Int64(row.level), installation: row.installation, fields: fields)
        }
        guard row.kind.isCountedByTag else { return }
        let version = (fields.version ?? "").cut(toBytes: PostgreSQLSchema.keyBytes)
        let one = TagSummary(
            tag: row.tag, kind: row.kind.rawValue, version: version, count: 1, firstTime: row.time, lastTime: row.time)
        let key = TagKey(tag: row.tag, kind: row.kind, version: version)
        if tags[key]?.add(one) == nil { tags[key] = one }
    }

    /// Counts what became of a batch with an origin.
    mutating func add(_ batch: RecordBatch, _ result: AppendResult, of origin: RecordBatch.Origin) {
        let identity = StreamIdentity(batch)
        var account = streams[origin.stream] ?? Account()
        account.sender = account.sender ?? batch.losses?.sender
        account.installation = account.installation ?? identity.installation
        account.version = account.version ?? identity.version
        account.stored += Int64(result.stored)
        account.duplicates += Int64(result.duplicates)
        streams[origin.stream] = account
        guard let report = batch.losses else { return }
        for (reason, count) in report.counts {
            let key = LossKey(sender: report.sender, reason: reason.cut(toBytes: PostgreSQLSchema.keyBytes))
            losses[key] = max(losses[key] ?? count, count)
        }
    }
}

extension RecordRow {
    /// The row with the texts that are keys of indexes cut to the length that those can have.
    var cutToKeys: RecordRow {
        let limit = PostgreSQLSchema.keyBytes
        guard tag.utf8.count > limit || (session?.utf8.count ?? 0) > limit else { return self }
        var row = self
        row.tag = tag.cut(toBytes: limit)
        row.session = session?.cut(toBytes: limit)
        return row
    }
}

extension RecordFilter {
    /// The filter with its session and its tag cut as those of stored rows are, so that it finds them. A pattern stays.
    var cutToKeys: RecordFilter {
        var filter = self
        filter.session = session?.cut(toBytes: PostgreSQLSchema.keyBytes)
        if let tag, !tag.contains("*") { filter.tag = tag.cut(toBytes: PostgreSQLSchema.keyBytes) }
        filter.excluding = excluding.map(\.cutToKeys)
        return filter
    }
}

extension String {
    /// The longest beginning of whole characters with at most so many bytes.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
