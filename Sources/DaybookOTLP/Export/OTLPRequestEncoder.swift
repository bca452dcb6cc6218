import Daybook

/// Builds request bodies without re-encoding records: stored bytes are concatenated under a header, each followed by
/// its context and identity.
///
/// Source: `opentelemetry/proto/collector/{logs,trace}/v1`. Both have the same structure: resource (1) and scopes (2)
/// within field 1; within a scope the scope (1) and the records (2).
struct OTLPRequestEncoder {
    private static let field1: UInt8 = 1 << 3 | 2
    private static let field2: UInt8 = 2 << 3 | 2
    private static let scopeAttributes: UInt8 = 3 << 3 | 2

    let batch: Batch
    let version: String

    /// The body for one signal; `nil` if the batch has no such record.
    /// - Parameter number: Includes only records with higher numbers.
    func body(_ signal: OTLPSignal, after number: UInt64 = 0) -> [UInt8]? {
        let items = batch.items.lazy.filter { $0.isSpan == (signal == .traces) && $0.sequence > number }
        guard let first = items.first else { return nil }
        let contexts = batch.contexts.map { signal == .logs ? $0.attributes : $0.spanAttributes }
        let scope = self.scope
        let resource = batch.contexts[first.context].resource

        // Sizes first: growing or joining a large body would hold it in memory several times.
        var identity = RecordUID(stream: batch.stream, tag: signal.attributeTag)
        var recordsSize = 0
        for item in items {
            identity.sequence = item.sequence
            recordsSize += Protobuf.fieldSize(
                item.range.count + contexts[item.context].count + identity.attribute.count)
        }
        var scopeHead: [UInt8] = []
        scopeHead.appendField(Self.field1, scope)
        var resourceHead: [UInt8] = []
        resourceHead.appendField(Self.field1, resource)
        let scopeSize = scopeHead.count + recordsSize
        let resourceSize = resourceHead.count + 1 + Protobuf.varintSize(UInt64(scopeSize)) + scopeSize

        var body: [UInt8] = []
        body.reserveCapacity(resourceSize + 16)
        body.append(Self.field1)
        body.appendVarint(UInt64(resourceSize))
        body.append(contentsOf: resourceHead)
        body.append(Self.field2)
        body.appendVarint(UInt64(scopeSize))
        body.append(contentsOf: scopeHead)
        batch.payload.withUnsafeBytes { payload in
            for item in items {
                let context = contexts[item.context]
                identity.sequence = item.sequence
                body.append(Self.field2)
                body.appendVarint(UInt64(item.range.count + context.count + identity.attribute.count))
                body.append(contentsOf: UnsafeRawBufferPointer(rebasing: payload[item.range]))
                body.append(contentsOf: context)
                body.append(contentsOf: identity.attribute)
            }
        }
        return body
    }

    /// The encoder, the records' origin, and the numbers that the request settles.
    private var scope: [UInt8] {
        var scope: [UInt8] = []
        scope.appendField(1 << 3 | 2, "daybook".utf8)
        scope.appendField(2 << 3 | 2, version.utf8)
        let names = Set(batch.contexts.flatMap(\.names)).ordered()
        var attributes: [(String, Value)] = [
            (WireName.stream, .string(batch.stream)),
            (WireName.output, .string(batch.output)),
            (WireName.intervalAfter, Value(batch.after)),
            (WireName.intervalThrough, Value(batch.through)),
            (WireName.contextKeys, .array(names.map { .string($0) })),
        ]
        if !batch.proof.isEmpty { attributes.append((WireName.proof, .string(batch.proof))) }
        for reason in Ledger.DropReason.allCases {
            guard let count = batch.dropped[reason] else { continue }
            attributes.append((WireName.droppedPrefix + reason.attributeName, Value(count)))
        }
        for (key, value) in attributes {
            scope += AnyValue.keyValueField(Self.scopeAttributes, key, value)
        }
        return scope
    }
}

extension OTLPSignal {
    /// The tag byte of attributes in a `LogRecord` (6) and a `Span` (9).
    fileprivate var attributeTag: UInt8 { self == .logs ? 6 << 3 | 2 : 9 << 3 | 2 }
}

/// The uid attribute of successive records, updated in place: usually only the last digits change.
struct RecordUID {
    private(set) var attribute: [UInt8]
    private let stream: String
    private let tag: UInt8
    /// The numbers with as many digits as the current one.
    private var sameLength: Range<UInt64>

    /// - Parameter tag: The tag byte of the field.
    init(stream: String, tag: UInt8) {
        self.stream = stream
        self.tag = tag
        attribute = []
        sameLength = 0..<0
    }

    var sequence: UInt64 = 0 {
        didSet {
            guard sameLength.contains(sequence) else { return encode() }
            var rest = sequence
            var index = attribute.count - 1
            while rest > 0 {
                attribute[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
                index -= 1
            }
        }
    }

    private mutating func encode() {
        attribute = AnyValue.keyValueField(tag, WireName.uid, .string("\(stream)-\(sequence)"))
        var least: UInt64 = 1
        while least <= sequence / 10 { least *= 10 }
        let (end, isOverflow) = least.multipliedReportingOverflow(by: 10)
        sameLength = least..<(isOverflow ? .max : end)
    }
}
