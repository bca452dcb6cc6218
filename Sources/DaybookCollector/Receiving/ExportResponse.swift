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
        if isFullSuccess { return [] }
        var bytes: [UInt8] = []
        bytes.appendField(1 << 3 | 2, numberedText(UInt64(bitPattern: rejected), message))
        return bytes
    }

    /// The response in JSON.
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
    package func protobuf() -> [UInt8] { numberedText(UInt64(bitPattern: Int64(code)), message) }

    /// The status in JSON.
    package func json() -> [UInt8] {
        Array(
            JSONWriter.text(["code": .int(Int64(code)), "message": .string(message)] as Attributes).utf8)
    }
}

/// A protobuf message of a number (1) and a text (2), as both answers are; what has its default value is left out.
private func numberedText(_ number: UInt64, _ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    if number != 0 {
        bytes.append(1 << 3)
        bytes.appendVarint(number)
    }
    if !text.isEmpty { bytes.appendField(2 << 3 | 2, text.utf8) }
    return bytes
}
