import DaybookBase
import DaybookOTLP

/// The answer to a request: `ExportLogsServiceResponse` and `ExportTraceServiceResponse`, which differ in one name.
package struct ExportResponse: Sendable, Hashable {
    /// Records that were not taken and must not be sent again; 0 with no message is full success.
    package var rejected: Int64
    /// Why, or a warning where none was rejected.
    package var message: String

    /// A response; full success by default.
    package init(rejected: Int64 = 0, message: String = "") {
        self.rejected = rejected
        self.message = message
    }

    private var isFullSuccess: Bool { rejected == 0 && message.isEmpty }

    /// The response in protobuf; no bytes for full success.
    package func protobuf() -> [UInt8] {
        MessageWriter.message { response in
            if isFullSuccess { return }
            response.message(1) { partial in
                partial.varint(1, UInt64(bitPattern: rejected))
                partial.string(2, message)
            }
        }
    }

    /// The response in JSON.
    package func json(_ signal: OTLPSignal) -> [UInt8] {
        if isFullSuccess { return Array("{}".utf8) }
        return JSONMessageWriter.bytes([
            "partialSuccess": [
                signal.rejectedName: .string(String(rejected)), "errorMessage": .string(message),
            ]
        ])
    }

    /// Decodes a response from protobuf.
    /// - Throws: ``OTLPError``.
    package init(protobuf bytes: [UInt8]) throws(OTLPError) {
        self = try ProtobufDecoder.decode(bytes) { _, given in
            var response = ExportResponse()
            var reader = given
            while let field = try reader.nextField() {
                guard field.number == 1, field.wireType == .lengthDelimited else {
                    try reader.skip(field)
                    continue
                }
                var partial = try reader.message()
                while let field = try partial.nextField() {
                    switch (field.number, field.wireType) {
                    case (1, .varint): response.rejected = Int64(bitPattern: try partial.varint())
                    case (2, .lengthDelimited): response.message = try partial.string()
                    default: try partial.skip(field)
                    }
                }
            }
            return response
        }
    }

    /// Decodes a response from JSON.
    /// - Throws: ``OTLPError``.
    package init(json bytes: [UInt8], _ signal: OTLPSignal) throws(OTLPError) {
        let partial = try JSONMessage.document(bytes).message("partialSuccess") { partial throws(OTLPError) in
            ExportResponse(
                rejected: Int64(clamping: try partial.unsigned(signal.rejectedName)),
                message: try partial.string("errorMessage"))
        }
        self = partial ?? ExportResponse()
    }
}

extension OTLPSignal {
    fileprivate var rejectedName: String { self == .logs ? "rejectedLogRecords" : "rejectedSpans" }
}

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
