/// What identifies an encoded span and places it in time, read without building a record.
struct RecordOutline {
    let context: SpanContext
    let start: Int64?
    let end: Int64?

    /// `nil` for bytes that are no span.
    init?(span payload: UnsafeRawBufferPointer) {
        var reader = ProtobufReader(payload)
        var (trace, span): ((UInt64, UInt64)?, UInt64?)
        var (start, end): (Int64?, Int64?)
        do throws(ProtobufError) {
            while let field = try reader.nextField() {
                switch (field.number, field.wireType) {
                case (1, .lengthDelimited): trace = RecordDecoder.traceID(try reader.bytes())
                case (2, .lengthDelimited): span = RecordDecoder.word(try reader.bytes())
                case (7, .fixed64): start = Int64(bitPattern: try reader.fixed64())
                case (8, .fixed64): end = Int64(bitPattern: try reader.fixed64())
                default: try reader.skip(field)
                }
            }
        } catch { return nil }
        guard let trace, let span else { return nil }
        context = SpanContext(traceHigh: trace.0, traceLow: trace.1, span: span)
        (self.start, self.end) = (start, end)
    }

    /// The time of a message, error or event, with which its bytes begin.
    static func time(ofLog payload: UnsafeRawBufferPointer) -> Int64? {
        var reader = ProtobufReader(payload)
        guard let field = try? reader.nextField(), field.number == 1, field.wireType == .fixed64,
            let time = try? reader.fixed64()
        else { return nil }
        return Int64(bitPattern: time)
    }
}
