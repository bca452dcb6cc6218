import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Assembles a request's scopes into batches: one per stream, and one for all records without a stream.
struct BatchAssembly {
    /// The most streams, or intervals of streams with gaps between, in one request. Each is settled separately.
    static let mostStreams = 1_000

    private struct StreamName: Hashable {
        var stream: String
        var proof: String?
    }

    private var batches: [RecordBatch] = []
    private var places: [StreamName: [(interval: SequenceInterval, batch: Int)]] = [:]
    /// The index of the batch without a stream.
    private var unnumbered: Int?
    private var isFull = false
    private let signal: OTLPSignal
    private var resource = SenderResource(Attributes())
    /// The current scope's rows, and the number of records before the next one.
    private var rows: [RecordRow] = []
    private var identified: [RecordBatch.Identified] = []
    private(set) var position = 0
    /// Scope of the following records.
    private(set) var scope: SenderScope

    init(_ signal: OTLPSignal) {
        self.signal = signal
        scope = SenderScope(resource: resource, scope: InstrumentationScope(), signal: signal)
    }

    mutating func begin(resource: Attributes, besideNames: [String] = []) {
        self.resource = SenderResource(resource, besideNames: besideNames)
    }

    mutating func begin(scope: InstrumentationScope, count: Int) {
        endScope()
        self.scope = SenderScope(resource: resource, scope: scope, signal: signal)
        // The count is the sender's claim.
        rows.reserveCapacity(min(count, 4_096))
    }

    /// - Parameters:
    ///   - isIdentified: whether the sender chose the uid.
    ///   - hasTime: whether the sender set the time.
    mutating func add(_ row: consuming RecordRow, isIdentified: Bool, hasTime: Bool) {
        if isIdentified, scope.origin == nil { identified.append(.init(place: rows.count, hasTime: hasTime)) }
        rows.append(row)
        position += 1
    }

    /// - Throws: ``OTLPError``, a limit, if there are too many streams or intervals.
    mutating func finish() throws(OTLPError) -> [RecordBatch] {
        endScope()
        guard !isFull else {
            throw OTLPError(
                "More than \(Self.mostStreams) streams, or intervals of streams, in one request. Send fewer at once.",
                isLimit: true)
        }
        return batches
    }

    /// Adds a scope's rows. Intervals of one stream that overlap or touch are settled together; a gap between them is
    /// not.
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
        // Without rows, nothing else identifies the losses' sender.
        if rows.isEmpty { batch.sender = scope.resource.identity }
        batches.append(batch)
    }
}

extension RecordRow {
    /// The uid of a record without one: a digest of its content and position, so that a resent request gets the same
    /// uids. See ``RecordRow/isDigest``.
    /// - Parameter context: a digest of the context, which can be long and shared by many rows.
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

/// A resource's data, shared by its scopes.
final class SenderResource: Sendable {
    /// `app.installation.id`.
    let installation: String?
    /// The other attributes, including what it carries outside its attributes.
    let members: JSONMembers
    /// Names of what it carries outside its attributes.
    let besideNames: [String]
    /// The owner of a stream without records.
    fileprivate let identity: StreamIdentity

    /// - Parameter attributes: with unique names; includes what the resource carries outside its attributes.
    init(_ attributes: Attributes, besideNames: [String] = []) {
        self.besideNames = besideNames
        installation = attributes[WireName.installation]?.nonemptyText?.storableName
        var others = attributes.elements
        if installation != nil { others.removeAll { $0.key == WireName.installation } }
        members = JSONMembers(others)
        identity = StreamIdentity(installation: installation, version: ContextFields(members.object).version)
    }
}

/// What a resource and a scope say about all of their records; the names are in docs/formats/otlp.md.
///
/// A class, so that records refer to it without copies.
final class SenderScope: Sendable {
    let name: String
    fileprivate let resource: SenderResource
    /// `app.installation.id` of the resource.
    var installation: String? { resource.installation }
    /// The stream and interval that the scope settles; `nil` if the sender does not number records.
    let origin: RecordBatch.Origin?
    /// Reported losses; `nil` without an origin or losses.
    let losses: LossReport?
    /// Daybook attributes that are invalid or superseded; left out of the row.
    let unread: Unread
    /// Record attributes that belong to the context.
    let contextKeys: Set<String>
    let shared: SharedContext
    /// Those of ``contextKeys`` that the resource or scope has, too.
    let sharedKeys: Set<String>
    /// The prefix of this stream's uids.
    private let uidPrefix: [UInt8]?

    init(resource: SenderResource, scope: InstrumentationScope, signal: OTLPSignal) {
        self.resource = resource
        name = scope.name.storableName
        var origin: RecordBatch.Origin?
        if case .string(let stream)? = scope.attributes[WireName.stream], !stream.isEmpty,
            case .int(let after)? = scope.attributes[WireName.intervalAfter],
            case .int(let through)? = scope.attributes[WireName.intervalThrough], 0 <= after, after <= through
        {
            // Each output of a sender has its own intervals, and so has each signal: one interval may arrive as a logs
            // request and a traces request.
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

    /// Whether a name has the form of a loss reason: `disk_limit`.
    private static func isReason(_ name: some StringProtocol) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

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

    /// - Parameter unread: counts reasons beyond the limit.
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

    /// The tag of records without one. The name of Daybook's own scope is the writer's, not a subject.
    var tag: String { name.isEmpty || origin != nil && OwnRecords.have(name) ? "otlp" : name }

    /// The sequence number in a uid of this stream, 1 to `Int64.max`.
    func sequence(of uid: WireText) -> UInt64? {
        // 19 digits always fit in `UInt64`.
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
    var nonemptyText: String? {
        if case .string(let text) = self { text.nonempty } else { nil }
    }
}
