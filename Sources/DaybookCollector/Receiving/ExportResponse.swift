import DaybookBase
import DaybookOTLP

/// The response body: `ExportLogsServiceResponse` or `ExportTraceServiceResponse`, which differ in one name.
package struct ExportResponse: Sendable, Hashable {
    /// Records rejected for good, not to be resent; 0 without a message is full success.
    package var rejected: Int64
    /// The reason, or a warning if none was rejected.
    package var message: String

    package init(rejected: Int64 = 0, message: String = "") {
        self.rejected = rejected
        self.message = message
    }

    private var isFullSuccess: Bool { rejected == 0 && message.isEmpty }

    /// Empty for full success.
    package func protobuf() -> [UInt8] {
        if isFullSuccess { return [] }
        var bytes: [UInt8] = []
        bytes.appendField(1 << 3 | 2, numberedText(UInt64(bitPattern: rejected), message))
        return bytes
    }

    package func json(_ signal: OTLPSignal) -> [UInt8] {
        var response = Attributes()
        if !isFullSuccess {
            response["partialSuccess"] = [
                signal.rejectedName: .string(String(rejected)), "errorMessage": .string(message),
            ]
        }
        return Array(JSONWriter.text(response).utf8)
    }
}

extension OTLPSignal {
    fileprivate var rejectedName: String { self == .logs ? "rejectedLogRecords" : "rejectedSpans" }
}

/// `google.rpc.Status`: the body of every OTLP/HTTP error response.
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
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code.rawValue
        self.message = message
    }

    package func protobuf() -> [UInt8] { numberedText(UInt64(bitPattern: Int64(code)), message) }

    package func json() -> [UInt8] {
        Array(
            JSONWriter.text(["code": .int(Int64(code)), "message": .string(message)] as Attributes).utf8)
    }
}

/// A protobuf message of a number (1) and a text (2), the shape of both responses; default values are omitted.
private func numberedText(_ number: UInt64, _ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    if number != 0 {
        bytes.append(1 << 3)
        bytes.appendVarint(number)
    }
    if !text.isEmpty { bytes.appendField(2 << 3 | 2, text.utf8) }
    return bytes
}
