import Daybook

/// `google.rpc.Status`: the body of every error answer of OTLP over HTTP.
package struct RPCStatus: Sendable, Hashable {
    /// The codes of `google.rpc.Code` in use here.
    package enum Code: Int32, Sendable {
        case unknown = 2
        case invalidArgument = 3
        case notFound = 5
        case permissionDenied = 7
        case resourceExhausted = 8
        case unimplemented = 12
        case unavailable = 14
        case unauthenticated = 16
    }

    package var code: Int32
    /// What is wrong and what to do.
    package var message: String

    /// A status.
    package init(_ code: Code, _ message: String) {
        self.code = code.rawValue
        self.message = message
    }

    /// The status in protobuf.
    package func protobuf() -> [UInt8] {
        MessageWriter.message { status in
            status.varint(1, UInt64(bitPattern: Int64(code)))
            status.string(2, message)
        }
    }

    /// The status in JSON.
    package func json() -> [UInt8] {
        JSONMessageWriter.bytes(["code": .int(Int64(code)), "message": .string(message)])
    }

    /// Decodes a status from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        self = try ProtobufDecoder.decode(bytes) { _, given in
            var status = RPCStatus(.unknown, "")
            var reader = given
            while let field = try reader.nextField() {
                switch (field.number, field.wireType) {
                case (1, .varint): status.code = Int32(truncatingIfNeeded: try reader.varint())
                case (2, .lengthDelimited): status.message = try reader.string()
                default: try reader.skip(field)
                }
            }
            return status
        }
    }
}
