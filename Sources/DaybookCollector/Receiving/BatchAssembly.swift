import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Puts the rows of a request's scopes together into batches: one per stream, one for all without a stream.
struct BatchAssembly {
    /// Streams of one request, and intervals of theirs with gaps between them. Each is accounted by itself.
    static let mostStreams = 1_000

    private struct StreamName: Hashable {
        var stream: String
        var proof: String?
    }

    private var batches: [RecordBatch] = []
    /// Where the batches of a stream are, and what they settle.
    private var places: [StreamName: [(interval: SequenceInterval, batch: Int)]] = [:]
    /// Where the batch without a stream is.
    private var unnumbered: Int?
    private var isFull = false
    private let signal: OTLPSignal
    private var resource = SenderResource(Attributes())
    /// The rows of the present scope, and how many records of the request came before the next.
    private var rows: [RecordRow] = []
    private var identified: [RecordBatch.Identified] = []
    private(set) var position = 0
    /// What describes the records that follow.
    private(set) var scope: SenderScope

    init(_ signal: OTLPSignal) {
        self.signal = signal
        scope = SenderScope(resource: resource, scope: InstrumentationScope(), signal: signal)
    }

    /// The scopes that follow are of this resource.
    /// - Parameter besideNames: of what it says beside its attributes. Default: none.
    mutating func begin(resource: Attributes, besideNames: [String] = []) {
        self.resource = SenderResource(resource, besideNames: besideNames)
    }

    /// The rows that follow are of this scope.
    mutating func begin(scope: InstrumentationScope, count: Int) {
        endScope()
        self.scope = SenderScope(resource: resource, scope: scope, signal: signal)
        // What the count says need not come.
        rows.reserveCapacity(min(count, 4_096))
    }

    /// Adds the row of a record.
    /// - Parameters:
    ///   - isIdentified: whether the uid is the sender's own.
    ///   - hasTime: whether the time is.
    mutating func add(_ row: consuming RecordRow, isIdentified: Bool, hasTime: Bool) {
        if isIdentified, scope.origin == nil { identified.append(.init(place: rows.count, hasTime: hasTime)) }
        rows.append(row)
        position += 1
    }

    /// The batches of the request.
    /// - Throws: ``OTLPError``, a limit, where they are too many.
    mutating func finish() throws(OTLPError) -> [RecordBatch] {
        endScope()
        guard !isFull else {
            throw OTLPError(
                "More than \(Self.mostStreams) streams, or intervals of streams, in one request. Send fewer at once.",
                isLimit: true)
        }
        return batches
    }

    /// Adds a scope's rows. Scopes of one stream whose intervals overlap or touch are settled together; intervals with a
    /// gap between them are not, for the gap is not settled.
    private mutating func endScope() {
        defer { (rows, identified) = ([], []) }
        guard let origin = scope.origin else {
            guard !rows.isEmpty else { return }
            let index = unnumbered ?? batches.count
            if unnumbered == nil { batches.append(RecordBatch(rows: [])) }
            unnumbered = index
            let before = batches[index].rows.count
            batches[index].identified += identified.map { .init(place: before + $0.place, hasTime: $0.hasTime) }
            batches[index].rows += rows
            return
        }
        let name = StreamName(stream: origin.stream, proof: origin.proof)
        let known = places[name]?.firstIndex {
            $0.interval.after <= origin.interval.through && origin.interval.after <= $0.interval.through
        }
        if let known, let index = places[name]?[known].batch {
            places[name]?[known].interval.extend(over: origin.interval)
            batches[index].origin?.interval.extend(over: origin.interval)
            batches[index].rows += rows
            batches[index].losses.add(scope.losses)
            return
        }
        guard places.count < Self.mostStreams, batches.count - (unnumbered == nil ? 0 : 1) < Self.mostStreams else {
            isFull = true
            return
        }
        places[name, default: []].append((origin.interval, batches.count))
        var batch = RecordBatch(origin: origin, losses: scope.losses, rows: rows)
        // What else would tell whose the losses are.
        if rows.isEmpty { batch.sender = scope.resource.identity }
        batches.append(batch)
    }
}

extension RecordRow {
    /// The uid of a record whose sender gave none: a digest of what it holds and its place in the request, so that the
    /// same request sent again names its records the same. See ``RecordRow/isDigest``.
    /// - Parameter context: a digest of the row's context, which may be long and is that of many rows.
    static func digest(of row: RecordRow, context: String, sentTime: UInt64, position: Int) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.attributes.utf8.count + 160)
        withUnsafeBytes(of: sentTime.littleEndian) { bytes.append(contentsOf: $0) }
        let parts = [row.kind.rawValue, row.tag, row.message ?? "", row.traceID ?? "", row.spanID ?? ""]
        for part in parts + [row.attributes, context] {
            bytes.append(contentsOf: part.utf8)
            bytes.append(0)
        }
        return Digest.text(of: bytes, seed: UInt64(bitPattern: Int64(position)))
    }
}

/// What a resource says about all of its scopes, which may be many.
final class SenderResource: Sendable {
    /// `app.installation.id`.
    let installation: String?
    /// The other attributes, and what it says beside them.
    let members: JSONMembers
    /// The names of what it says beside its attributes.
    let besideNames: [String]
    /// Whose a stream is that sends no record.
    fileprivate let identity: StreamIdentity

    /// - Parameter attributes: each name once; among them what the resource says beside.
    init(_ attributes: Attributes, besideNames: [String] = []) {
        self.besideNames = besideNames
        installation = attributes[WireName.installation]?.nonemptyText?.storableName
        var others = attributes.elements
        if installation != nil { others.removeAll { $0.key == WireName.installation } }
        members = JSONMembers(others)
        identity = StreamIdentity(installation: installation, version: ContextFields(members.object).version)
    }
}

/// What a resource and a scope say about all of their records. The names are in docs/formats/otlp.md.
///
/// An object, so that a record that looks at it costs no copies of what it holds.
final class SenderScope: Sendable {
    let name: String
    fileprivate let resource: SenderResource
    /// `app.installation.id` of the resource.
    var installation: String? { resource.installation }
    /// The stream and the interval that the scope settles; `nil` for a sender that does not number its records.
    let origin: RecordBatch.Origin?
    /// What the scope's output says that it has lost; `nil` without an origin, or where it has lost nothing.
    let losses: LossReport?
    /// The attributes of Daybook's own that mean nothing as they are, and those that others replace; the row has none of
    /// them.
    let unread: Unread
    /// Which record attributes belong to the context.
    let contextKeys: Set<String>
    /// What the contexts of the records share.
    let shared: SharedContext
    /// Those of ``contextKeys`` that the resource or the scope says, too.
    let sharedKeys: Set<String>
    /// What a uid of this stream begins with.
    private let uidPrefix: [UInt8]?

    init(resource: SenderResource, scope: InstrumentationScope, signal: OTLPSignal) {
        self.resource = resource
        name = scope.name.storableName
        var origin: RecordBatch.Origin?
        if case .string(let stream)? = scope.attributes[WireName.stream], !stream.isEmpty,
            case .int(let after)? = scope.attributes[WireName.intervalAfter],
            case .int(let through)? = scope.attributes[WireName.intervalThrough], 0 <= after, after <= through
        {
            // Two outputs of one sender settle intervals of their own, and so do the two kinds of request of one output:
            // one interval may come as a request of logs and a request of traces.
            let output = scope.attributes[WireName.output]?.nonemptyText ?? ""
            origin = .init(
                stream: [stream, output, signal.rawValue].joined(separator: "/").storableName,
                after: UInt64(after), through: UInt64(through))
            origin?.importStream = stream.storableName
            if case .string(let proof)? = scope.attributes[WireName.proof], Hex.bytes(proof)?.count == 16 {
                origin?.proof = proof
            }
            uidPrefix = Array("\(stream)-".utf8)
        } else {
            uidPrefix = nil
        }
        self.origin = origin
        var unread = Unread()
        losses = origin == nil ? nil : Self.losses(of: scope, &unread)
        for element in scope.attributes.elements where element.key.hasPrefix(WireName.ownPrefix) {
            if !Self.isRead(element, hasOrigin: origin != nil) { unread.add("scope.\(element.key)") }
        }
        if case .array(let keys)? = scope.attributes[WireName.contextKeys] {
            contextKeys = Set(keys.compactMap { if case .string(let key) = $0 { key } else { nil } })
        } else {
            contextKeys = []
        }
        let others = scope.attributes.elements.filter { !$0.key.hasPrefix(WireName.ownPrefix) }
        var beside = scope.beside
        if origin == nil {
            beside.add(scope.name, as: "otel.scope.name")
            beside.add(scope.version, as: "otel.scope.version")
        }
        shared = SharedContext(resource, others, beside: beside.elements, &unread)
        sharedKeys = contextKeys.filter(shared.has)
        self.unread = unread
    }

    /// Whether a name is formed as the reasons of a sender's ledger are: `disk_limit`.
    private static func isReason(_ name: some StringProtocol) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    /// Whether an attribute of Daybook's own says something.
    private static func isRead(_ element: Attributes.Element, hasOrigin: Bool) -> Bool {
        switch (element.key, element.value) {
        case (WireName.contextKeys, .array(let keys)):
            keys.allSatisfy { if case .string = $0 { true } else { false } }
        case (WireName.stream, _), (WireName.intervalAfter, _), (WireName.intervalThrough, _): hasOrigin
        case (WireName.output, .string): hasOrigin
        case (WireName.proof, .string(let proof)): hasOrigin && Hex.bytes(proof)?.count == 16
        case (let key, .int(let count)) where key.hasPrefix(WireName.droppedPrefix):
            hasOrigin && count >= 0 && isReason(key.dropFirst(WireName.droppedPrefix.count))
        default: false
        }
    }

    /// - Parameter unread: counts the reasons beyond those that are taken.
    private static func losses(of scope: InstrumentationScope, _ unread: inout Unread) -> LossReport? {
        var counts: [String: Int64] = [:]
        for element in scope.attributes.elements where element.key.hasPrefix(WireName.droppedPrefix) {
            let reason = element.key.dropFirst(WireName.droppedPrefix.count)
            guard case .int(let count) = element.value, count > 0, isReason(reason) else { continue }
            guard counts.count < LossReport.mostReasons else {
                unread.add("scope.\(element.key)")
                continue
            }
            counts[String(reason)] = count
        }
        let parts = [scope.attributes[WireName.stream], scope.attributes[WireName.output]]
        let sender = parts.map { $0?.nonemptyText ?? "" }.joined(separator: "/")
        return counts.isEmpty ? nil : LossReport(sender: sender.storableName, counts: counts)
    }

    /// The tag of a record that gives none. The name of Daybook's own scope says what wrote it, and not what it is about.
    var tag: String { name.isEmpty || origin != nil && OwnRecords.have(name) ? "otlp" : name }

    /// The number in a uid of this scope's stream, 1 to `Int64.max`.
    func sequence(of uid: WireText) -> UInt64? {
        // At most 19 digits, which a `UInt64` always holds.
        guard let uidPrefix, uid.bytes.count > uidPrefix.count, uid.bytes.count - uidPrefix.count <= 19,
            uidPrefix.withUnsafeBytes({ uid.hasPrefix($0) })
        else { return nil }
        var number: UInt64 = 0
        for unit in uid.bytes[uidPrefix.count...] {
            guard unit >= 0x30, unit <= 0x39 else { return nil }
            number = number * 10 + UInt64(unit - 0x30)
        }
        return number > 0 && number <= UInt64(Int64.max) ? number : nil
    }
}

extension Value {
    /// The text of a string that is not empty.
    var nonemptyText: String? {
        if case .string(let text) = self { text.nonempty } else { nil }
    }
}

extension String {
    /// The text, or `nil` where it is empty.
    var nonempty: String? { isEmpty ? nil : self }
}
