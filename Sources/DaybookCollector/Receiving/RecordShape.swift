import DaybookBase
import DaybookOTLP

/// Which signal a record in protobuf is of, by the layout of its fields: requests of logs, traces and metrics have the same
/// numbers down to their records, so those of another signal decode as something by luck.
struct RecordShape {
    /// A field and its layout.
    private struct Field: Hashable {
        var number: Int
        var wireType: ProtobufReader.WireType

        init(_ number: Int, _ wireType: ProtobufReader.WireType) {
            self.number = number
            self.wireType = wireType
        }
    }

    /// The fields that only a record of the signal has in this layout. SDKs send one of them at least, the time.
    private static let own: [OTLPSignal: Set<Field>] = [
        .logs: [
            Field(1, .fixed64), Field(2, .varint), Field(6, .lengthDelimited), Field(8, .fixed32), Field(11, .fixed64),
        ],
        .traces: [
            Field(6, .varint), Field(7, .fixed64), Field(8, .fixed64), Field(15, .lengthDelimited), Field(16, .fixed32),
        ],
    ]

    private var fields: Set<Field> = []

    /// Looks at a message as far as it can be read.
    init(_ message: ProtobufReader) {
        var reader = message
        while let field = try? reader.nextField() {
            if field.number <= 16 { fields.insert(Field(field.number, field.wireType)) }
            guard (try? reader.skip(field)) != nil else { return }
        }
    }

    private func isOf(_ signal: OTLPSignal) -> Bool { !(Self.own[signal] ?? []).isDisjoint(with: fields) }

    /// Whether a field says that the record is of the other signal.
    func isOfAnother(_ signal: OTLPSignal) -> Bool { isOf(signal == .logs ? .traces : .logs) }

    /// Whether a record that does not fit is one of the signal all the same: a field that only such a record has decides
    /// for it, so that none of the signal's own is refused.
    /// - Throws: ``OTLPError`` that tells where the record belongs.
    func check(_ signal: OTLPSignal) throws(OTLPError) {
        if isOf(signal) { return }
        let given = signal == .logs ? "log records" : "spans"
        let unlike = "something else, such as " + (signal == .logs ? "metrics" : "log records or metrics")
        let words = isOfAnother(signal) ? signal == .logs ? "spans" : "log records" : unlike
        throw OTLPError("These are no \(given), but \(words). " + OTLPError.signals)
    }
}
