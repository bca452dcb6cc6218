import DaybookBase
import DaybookStore
import DaybookTools

/// A batch that passed the door: what is in it its sender may write. Only ``SenderRights`` makes one, and the ingest's store
/// takes nothing else.
struct AdmittedBatch: Sendable {
    let batch: RecordBatch

    fileprivate init(_ batch: RecordBatch) { self.batch = batch }
}

/// The store as the ingest has it: it takes what passed the door.
struct IngestStore: Sendable {
    private let store: any EventStore

    init(_ store: any EventStore) { self.store = store }

    func append(_ admitted: AdmittedBatch) async throws(AppendError) -> AppendResult {
        try await store.append(admitted.batch)
    }
}

/// What a sender may write, decided where its key is judged (pure).
///
/// It says what it likes of itself, and nothing in another's name: its streams are settled beside those of others, and their
/// records say whose they are; its marks of runs and records with the names of the collector's own are stored as a device's
/// claims (``DeviceClaim``).
struct SenderRights: Sendable {
    /// What became of batches at the door.
    struct Admission: Sendable {
        var batches: [AdmittedBatch] = []
        /// What was stored otherwise than its sender said, to be told and counted.
        var changes = Unread()
        /// Batches of streams, by whether their sender proved that it is the same as before.
        var proven = 0
        var unproven = 0
        /// Those of a stream that another sender has used, too.
        var contested = 0
    }

    /// The farthest that numbers of a stream without proof may lie apart within a batch: the store looks at what was
    /// settled between them. No pipeline leaves out a million of its records between two that it sends together.
    static let widestBatch: UInt64 = 1 << 20

    /// The name of the key; `nil` where none is asked for.
    let key: String?

    /// - Parameters:
    ///   - batches: changed in place where nobody else has them.
    ///   - streams: notes whose streams are whose.
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
                // A record without a number has a uid that is a mere text.
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
        // Who reads the store must not be able to send as the installation.
        return .proven(digest: String(Hex.text(SHA256Digest.of(Array(proof.utf8))).prefix(32)))
    }

    /// A key's name of a length that every store has room for in a stream's.
    private static func bounded(_ name: String) -> String {
        let name = name.storableName
        guard name.utf8.count > 100 else { return name }
        return name.cut(toUTF8Bytes: 80) + "…" + Digest.text(of: Array(name.utf8), seed: 0).prefix(16)
    }

    /// Puts a batch under its owner's name. A proven sender settles what its interval says, for it says so of its own
    /// records alone. Anybody with the key may have sent another: it settles the records that are in it, and no more.
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

    /// The tag of a record that is not its sender's to write; `nil` for the one that it has.
    private func claimedTag(_ row: RecordRow, _ changes: inout Unread) -> String? {
        guard let tag = DeviceClaim.tag(row.tag, isRun: row.kind == .run) else { return nil }
        // Marks of a device's own runs and what its pipeline says of itself have their place, and are nothing to be told of.
        let isExpected = row.kind == .run ? DeviceClaim.mayMark(row.tag) : OwnRecords.ofApps.contains(row.tag)
        if !isExpected { changes.add("tag \(row.tag), stored as \(tag)") }
        return tag
    }
}

/// Contexts as they are stored: what only the collector says is a device's claim where a sender has said it, and the owner
/// stands in them. Mostly the same from one record to the next.
private struct ContextClaims {
    private var given = ""
    private var plain = (text: "", claims: [String]())
    private var owner: StreamOwner?
    private var owned = ""

    /// The context as it is stored, and what of it was claimed.
    /// - Parameter owner: `nil` for a record whose uid is no number of a stream.
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
            case .object(var members)? = try? JSONReader.value(of: Array(context.utf8))
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

/// Remembers for a while who sent which stream first, to count those that several claim. Settling does not depend on it.
/// Safe to share between threads.
final class StreamOwners: Sendable {
    private struct State {
        var recent: [String: StreamOwner] = [:]
        var earlier: [String: StreamOwner] = [:]
    }

    /// Streams of a generation; there are two.
    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: so many streams are remembered at least. Default: 20,000, some 10 MB.
    init(most: Int = 20_000) { self.most = most }

    /// Whether another sender has used the stream's name.
    func isContested(_ stream: String, by owner: StreamOwner) -> Bool {
        // Names come from outside.
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
