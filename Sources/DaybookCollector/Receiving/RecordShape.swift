import DaybookBase
import DaybookOTLP

/// Guesses a protobuf record's signal from its field layout. Logs, traces and metrics share their outer field numbers,
/// so records of another signal may decode by chance.
struct RecordShape {
    private struct Field: Hashable {
        var number: Int
        var wireType: ProtobufReader.WireType

        init(_ number: Int, _ wireType: ProtobufReader.WireType) {
            self.number = number
            self.wireType = wireType
        }
    }

    /// Fields that only this signal has in this layout. SDKs always send at least the time.
    private static let own: [OTLPSignal: Set<Field>] = [
        .logs: [
            Field(1, .fixed64), Field(2, .varint), Field(6, .lengthDelimited), Field(8, .fixed32), Field(11, .fixed64),
        ],
        .traces: [
            Field(6, .varint), Field(7, .fixed64), Field(8, .fixed64), Field(15, .lengthDelimited), Field(16, .fixed32),
        ],
    ]

    private var fields: Set<Field> = []

    /// Inspects a message up to the first malformed field.
    init(_ message: ProtobufReader) {
        var reader = message
        while let field = try? reader.nextField() {
            if field.number <= 16 { fields.insert(Field(field.number, field.wireType)) }
            guard (try? reader.skip(field)) != nil else { return }
        }
    }

    private func isOf(_ signal: OTLPSignal) -> Bool { !(Self.own[signal] ?? []).isDisjoint(with: fields) }

    /// Whether a field belongs only to the other signal.
    func isOfAnother(_ signal: OTLPSignal) -> Bool { isOf(signal == .logs ? .traces : .logs) }

    /// Checks whether a misfit is of the signal all the same. One field exclusive to it suffices, so that no genuine
    /// record is refused.
    /// - Throws: ``OTLPError`` that says where the record belongs.
    func check(_ signal: OTLPSignal) throws(OTLPError) {
        if isOf(signal) { return }
        let given = signal == .logs ? "log records" : "spans"
        let unlike = "something else, such as " + (signal == .logs ? "metrics" : "log records or metrics")
        let words = isOfAnother(signal) ? signal == .logs ? "spans" : "log records" : unlike
        throw OTLPError("These are no \(given), but \(words). " + OTLPError.signals)
    }
}
