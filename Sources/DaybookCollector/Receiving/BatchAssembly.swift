import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Puts the rows of a request's scopes together into batches: one per stream, one for all without a stream.
struct BatchAssembly {
    private var batches: [RecordBatch] = []
    private let signal: OTLPSignal
    private var resource = Attributes()
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
    mutating func begin(resource: Attributes) { self.resource = resource }

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
    mutating func finish() -> [RecordBatch] {
        endScope()
        return batches
    }

    /// Adds a scope's rows. Scopes of one stream whose intervals overlap or touch are settled together; intervals with a
    /// gap between them are not, for the gap is not settled.
    private mutating func endScope() {
        defer { (rows, identified) = ([], []) }
        guard let origin = scope.origin else {
            guard !rows.isEmpty else { return }
            let index = batches.firstIndex { $0.origin == nil } ?? batches.count
            if index == batches.count { batches.append(RecordBatch(rows: [])) }
            let before = batches[index].rows.count
            batches[index].identified += identified.map { .init(place: before + $0.place, hasTime: $0.hasTime) }
            batches[index].rows += rows
            return
        }
        for index in batches.indices {
            guard let known = batches[index].origin, known.stream == origin.stream,
                known.proof == origin.proof,
                known.interval.after <= origin.interval.through, origin.interval.after <= known.interval.through
            else { continue }
            batches[index].origin?.interval.extend(over: origin.interval)
            batches[index].rows += rows
            batches[index].losses = batches[index].losses ?? scope.losses
            return
        }
        batches.append(RecordBatch(origin: origin, losses: scope.losses, rows: rows))
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

/// What a resource and a scope say about all of their records. The names are in docs/formats/otlp.md.
///
/// An object, so that a record that looks at it costs no copies of what it holds.
final class SenderScope: Sendable {
    let name: String
    /// `app.installation.id` of the resource.
    let installation: String?
    /// The stream and the interval that the scope settles; `nil` for a sender that does not number its records.
    let origin: RecordBatch.Origin?
    /// What the scope's output says that it has lost; `nil` without an origin, or where it has lost nothing.
    let losses: LossReport?
    /// Which record attributes belong to the context.
    let contextKeys: Set<String>
    /// Members of the context that all records share, as JSON without braces: the resource's other attributes, and what
    /// a foreign scope says.
    let sharedContext: [UInt8]
    /// What a uid of this stream begins with.
    private let uidPrefix: [UInt8]?

    init(resource: Attributes, scope: InstrumentationScope, signal: OTLPSignal) {
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
            origin?.importStream = RecordBatch.Origin.importName(of: stream).storableName
            if case .string(let proof)? = scope.attributes[WireName.proof], Hex.bytes(proof)?.count == 16 {
                origin?.proof = proof
            }
            uidPrefix = Array("\(stream)-".utf8)
        } else {
            uidPrefix = nil
        }
        self.origin = origin
        losses = origin == nil ? nil : Self.losses(of: scope)
        if case .array(let keys)? = scope.attributes[WireName.contextKeys] {
            contextKeys = Set(keys.compactMap { if case .string(let key) = $0 { key } else { nil } })
        } else {
            contextKeys = []
        }
        var shared = resource.elements
        installation = resource[WireName.installation]?.nonemptyText?.storableName
        if installation != nil { shared.removeAll { $0.key == WireName.installation } }
        shared += scope.attributes.elements.filter { !$0.key.hasPrefix(WireName.ownPrefix) }
        if origin == nil {
            if !scope.name.isEmpty { shared.append(.init("otel.scope.name", .string(scope.name))) }
            if !scope.version.isEmpty { shared.append(.init("otel.scope.version", .string(scope.version))) }
        }
        var members: [UInt8] = []
        JSONWriter.writeMembers(shared[...], into: &members)
        sharedContext = members
    }

    /// How many reasons a scope may give. Senders choose them, and each is a row of the store for ever.
    private static let mostReasons = 32

    /// Whether a name is formed as the reasons of a sender's ledger are: `disk_limit`.
    private static func isReason(_ name: some StringProtocol) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    private static func losses(of scope: InstrumentationScope) -> LossReport? {
        var counts: [String: Int64] = [:]
        for element in scope.attributes.elements where element.key.hasPrefix(WireName.droppedPrefix) {
            let reason = element.key.dropFirst(WireName.droppedPrefix.count)
            guard case .int(let count) = element.value, count > 0, isReason(reason), counts.count < Self.mostReasons
            else { continue }
            counts[String(reason)] = count
        }
        let parts = [scope.attributes[WireName.stream], scope.attributes[WireName.output]]
        let sender = parts.map { $0?.nonemptyText ?? "" }.joined(separator: "/")
        return counts.isEmpty ? nil : LossReport(sender: sender.storableName, counts: counts)
    }

    /// The tag of a record that gives none.
    var tag: String { name.isEmpty ? "otlp" : name }

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
