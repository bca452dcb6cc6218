import Daybook

/// Decodes the parts that logs and traces share. Unknown fields, and known ones with another wire type, are passed over.
struct ProtobufDecoder {
    var budget = DecodingBudget()
    /// The attributes of the record that is being read, gathered here so that their array is made once and in its size.
    var gathered: [Attributes.Element] = []

    /// The gathered attributes; none are left.
    mutating func takeGathered() -> Attributes {
        defer { gathered.removeAll(keepingCapacity: true) }
        var attributes = Attributes()
        attributes.elements.append(contentsOf: gathered)
        return attributes
    }

    /// Runs `read` over a request's bytes.
    /// - Throws: ``OTLPError`` that tells the byte at fault.
    static func decode<Request>(
        _ bytes: [UInt8], _ read: (inout ProtobufDecoder, ProtobufReader) throws -> Request
    ) throws(OTLPError) -> Request {
        var decoder = ProtobufDecoder()
        do {
            return try bytes.withUnsafeBytes { buffer in try read(&decoder, ProtobufReader(buffer)) }
        } catch let error as OTLPError {
            throw error
        } catch let error as ProtobufError {
            throw DecodingBudget.error(error)
        } catch {
            throw OTLPError("\(error)")
        }
    }

    /// `Resource`: its attributes.
    mutating func resource(_ given: ProtobufReader) throws -> Attributes {
        var reader = given
        var attributes = Attributes()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): attributes.elements.append(try attribute(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return attributes
    }

    /// `InstrumentationScope`.
    mutating func scope(_ given: ProtobufReader) throws -> InstrumentationScope {
        var reader = given
        var scope = InstrumentationScope()
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): scope.name = try reader.string()
            case (2, .lengthDelimited): scope.version = try reader.string()
            case (3, .lengthDelimited): scope.attributes.elements.append(try attribute(try reader.message()))
            default: try reader.skip(field)
            }
        }
        return scope
    }

    /// `KeyValue`.
    mutating func attribute(_ message: ProtobufReader) throws -> Attributes.Element {
        try AnyValue.decodeEntry(message, &budget.values)
    }
}
