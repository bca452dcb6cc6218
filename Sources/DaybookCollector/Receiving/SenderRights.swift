import DaybookBase
import DaybookStore
import DaybookTools

/// A batch whose content its sender was permitted to write. Only ``SenderRights`` makes one, and ``IngestStore``
/// accepts nothing else.
struct AdmittedBatch: Sendable {
    let batch: RecordBatch

    fileprivate init(_ batch: RecordBatch) { self.batch = batch }
}

/// The ingest's view of the store: accepts admitted batches only.
struct IngestStore: Sendable {
    private let store: any EventStore

    init(_ store: any EventStore) { self.store = store }

    func append(_ admitted: AdmittedBatch) async throws(AppendError) -> AppendResult {
        try await store.append(admitted.batch)
    }
}

/// Decides what a sender may write, with its key (pure).
///
/// A sender may say anything about itself, but nothing in another's name. Its streams are settled apart, and its
/// records name their owner. Its run marks, and records with the collector's own names, are stored as a device's claims
/// (``DeviceClaim``).
struct SenderRights: Sendable {
    struct Admission: Sendable {
        var batches: [AdmittedBatch] = []
        /// What was stored differently than sent, for reports and counts.
        var changes = Unread()
        /// Batches of streams, by whether their sender proved its identity.
        var proven = 0
        var unproven = 0
        /// Batches of a stream that another sender has used, too.
        var contested = 0
    }

    /// The widest range of numbers in a batch without proof, since the store checks everything settled in between. No
    /// pipeline skips a million records within a batch.
    static let widestBatch: UInt64 = 1 << 20

    /// The key's name; `nil` if none is required.
    let key: String?

    /// - Parameters:
    ///   - batches: changed in place if uniquely referenced.
    ///   - streams: remembers the streams' owners.
    func admit(_ batches: consuming [RecordBatch], noting streams: StreamOwners) -> Admission {
        var admission = Admission()
        var contexts = ContextClaims()
        for index in batches.indices {
            var owner: StreamOwner?
            if let origin = batches[index].origin {
                let found = self.owner(of: origin)
                if found.isProven { admission.proven += 1 } else { admission.unproven += 1 }
                if streams.isContested(origin.stream, by: found) { admission.contested += 1 }
                if let sender = batches[index].losses?.sender { batches[index].losses?.sender = found.name(sender) }
                bind(&batches[index], from: origin, to: found, &admission.changes)
                owner = found
            }
            for place in batches[index].rows.indices {
                if let tag = claimedTag(batches[index].rows[place], &admission.changes) {
                    batches[index].rows[place].tag = tag
                }
                // Without a number, the uid is arbitrary text.
                let isNumbered = batches[index].rows[place].sequence != nil
                let context = contexts.stored(batches[index].rows[place].context, of: isNumbered ? owner : nil)
                for claim in context.claims { admission.changes.add(claim) }
                if context.text != batches[index].rows[place].context {
                    batches[index].rows[place].context = context.text
                }
            }
            admission.batches.append(AdmittedBatch(batches[index]))
        }
        return admission
    }

    private func owner(of origin: RecordBatch.Origin) -> StreamOwner {
        guard let proof = origin.proof else { return .unproven(key: key.map(Self.bounded)) }
        // Store only a digest: readers of the store must not be able to send as the installation.
        return .proven(digest: String(Hex.text(SHA256Digest.of(Array(proof.utf8))).prefix(32)))
    }

    /// Bounds a key's name, so that every store can hold it within a stream's name.
    private static func bounded(_ name: String) -> String {
        let name = name.storableName
        guard name.utf8.count > 100 else { return name }
        return name.cut(toUTF8Bytes: 80) + "…" + Digest.text(of: Array(name.utf8), seed: 0).prefix(16)
    }

    /// Assigns a batch to its owner. A proven sender settles its whole interval, which concerns only its own records.
    /// Otherwise anyone with the key could have sent the batch, so it settles only the records it contains.
    private func bind(
        _ batch: inout RecordBatch, from origin: RecordBatch.Origin, to owner: StreamOwner, _ changes: inout Unread
    ) {
        var bound = origin
        bound.proof = nil
        bound.stream = owner.name(origin.stream)
        bound.importStream = origin.importStream.map { RecordBatch.Origin.importName(of: $0, by: "\(owner)") }
        if !owner.isProven {
            let least = batch.rows.lazy.compactMap(\.sequence).min() ?? 1
            bound.interval = SequenceInterval(after: least - 1, through: least - 1)
            for place in batch.rows.indices {
                guard let sequence = batch.rows[place].sequence, sequence - least > Self.widestBatch else { continue }
                batch.rows[place].sequence = nil
                changes.add("\(WireName.uid) far from others, stored as often as it is sent")
            }
        }
        batch.origin = bound
    }

    /// The replacement for a tag that the sender may not write; `nil` if it may.
    private func claimedTag(_ row: RecordRow, _ changes: inout Unread) -> String? {
        guard let tag = DeviceClaim.tag(row.tag, isRun: row.kind == .run) else { return nil }
        // Marks of a device's own runs and its pipeline's own records are legitimate, so they are not reported.
        let isExpected = row.kind == .run ? DeviceClaim.mayMark(row.tag) : OwnRecords.ofApps.contains(row.tag)
        if !isExpected { changes.add("tag \(row.tag), stored as \(tag)") }
        return tag
    }
}

/// Rewrites contexts: statements that only the collector may make become a device's claims, and the owner is added.
/// Caches the last, since consecutive contexts are mostly equal.
private struct ContextClaims {
    private var given = ""
    private var plain = (text: "", claims: [String]())
    private var owner: StreamOwner?
    private var owned = ""

    /// - Parameter owner: `nil` for a record whose uid is not a stream's number.
    /// - Returns: the stored context, and the names that became claims.
    mutating func stored(_ context: String, of owner: StreamOwner?) -> (text: String, claims: [String]) {
        if context != given { (given, plain, self.owner) = (context, Self.rewritten(context), nil) }
        guard let owner else { return plain }
        if owner != self.owner { (self.owner, owned) = (owner, Self.added(owner, to: plain.text)) }
        return (owned, plain.claims)
    }

    private static func added(_ owner: StreamOwner, to context: String) -> String {
        let start = context.utf8.count > 2 ? context.dropLast() + "," : "{"
        return start + "\"\(StreamOwner.member)\":\(JSONWriter.text(.string("\(owner)")))}"
    }

    private static func rewritten(_ context: String) -> (text: String, claims: [String]) {
        guard context.hasBytes(of: "service.name") || context.hasBytes(of: StreamOwner.member),
            var members = Attributes(json: context)
        else { return (context, []) }
        var claims: [String] = []
        for place in members.elements.indices {
            switch (members.elements[place].key, members.elements[place].value) {
            case ("service.name", .string(DeviceClaim.collector)):
                members.elements[place].value = .string(DeviceClaim.service)
                claims.append("service.name \(DeviceClaim.collector), stored as \(DeviceClaim.service)")
            case (StreamOwner.member, _):
                members.elements[place].key = DeviceClaim.prefix + StreamOwner.member
                claims.append("\(StreamOwner.member), stored as \(DeviceClaim.prefix)\(StreamOwner.member)")
            default: break
            }
        }
        guard !claims.isEmpty else { return (context, []) }
        return (JSONWriter.text(members), claims + members.repeatedNames.map { "\($0) given twice" })
    }
}

/// Remembers for a while who first sent each stream, to count contested ones; settling does not depend on it.
/// Thread-safe.
final class StreamOwners: Sendable {
    private struct State {
        var recent: [String: StreamOwner] = [:]
        var earlier: [String: StreamOwner] = [:]
    }

    /// Streams per generation; there are two.
    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: streams remembered at least. Default: 20,000, some 10 MB.
    init(most: Int = 20_000) { self.most = most }

    /// Whether another sender has used the stream's name.
    func isContested(_ stream: String, by owner: StreamOwner) -> Bool {
        // Untrusted names; bound the memory.
        guard stream.utf8.count <= 200 else { return false }
        return state.withLock { state in
            if let first = state.recent[stream] { return first != owner }
            if state.recent.count >= most { (state.earlier, state.recent) = (state.recent, [:]) }
            let first = state.earlier[stream] ?? owner
            state.recent[stream] = first
            return first != owner
        }
    }
}
