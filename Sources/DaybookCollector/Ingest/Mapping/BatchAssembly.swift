import Daybook
import DaybookOTLP
import DaybookStore

/// Puts the rows of a request's scopes together into batches: one per stream, one for all without a stream.
struct BatchAssembly {
    private var batches: [RecordBatch] = []
    private let signal: OTLPSignal
    private var resource = Attributes()
    /// The rows of the present scope, and how many records of the request came before the next.
    private var rows: [RecordRow] = []
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
    mutating func add(_ row: consuming RecordRow) {
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
        defer { rows = [] }
        guard let origin = scope.origin else {
            guard !rows.isEmpty else { return }
            if let index = batches.firstIndex(where: { $0.origin == nil }) {
                batches[index].rows += rows
            } else {
                batches.append(RecordBatch(rows: rows))
            }
            return
        }
        for index in batches.indices {
            guard let known = batches[index].origin, known.stream == origin.stream,
                known.after <= origin.through, origin.after <= known.through
            else { continue }
            batches[index].origin = .init(
                stream: origin.stream, after: min(known.after, origin.after),
                through: max(known.through, origin.through))
            batches[index].rows += rows
            batches[index].losses = batches[index].losses ?? scope.losses
            return
        }
        batches.append(RecordBatch(origin: origin, losses: scope.losses, rows: rows))
    }
}

extension RecordRow {
    /// The uid of a record whose sender gave none: a digest of what it holds and its place in the request, so that the
    /// same request sent again names its records the same.
    static func digest(of row: RecordRow, sentTime: UInt64, position: Int) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.attributes.utf8.count + row.context.utf8.count + 128)
        withUnsafeBytes(of: sentTime.littleEndian) { bytes.append(contentsOf: $0) }
        let parts = [row.kind.rawValue, row.tag, row.message ?? "", row.traceID ?? "", row.spanID ?? ""]
        for part in parts + [row.attributes, row.context] {
            bytes.append(contentsOf: part.utf8)
            bytes.append(0)
        }
        return Digest.text(of: bytes, seed: UInt64(bitPattern: Int64(position)))
    }
}
