import DaybookBase
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import Testing

extension ExportResponse {
    init(protobuf bytes: [UInt8]) throws {
        self.init()
        try bytes.withUnsafeBytes { buffer in
            var response = ProtobufReader(buffer)
            while let field = try response.nextField() {
                guard field.number == 1, field.wireType == .lengthDelimited else {
                    try response.skip(field)
                    continue
                }
                var partial = try response.message()
                while let field = try partial.nextField() {
                    switch (field.number, field.wireType) {
                    case (1, .varint): rejected = Int64(bitPattern: try partial.varint())
                    case (2, .lengthDelimited): message = try partial.string()
                    default: try partial.skip(field)
                    }
                }
            }
        }
    }

    init(json bytes: [UInt8], _ signal: OTLPSignal) throws {
        self.init()
        guard case .object(let response) = try JSONReader.value(of: bytes) else {
            throw JSONError("the response is no object", 0)
        }
        if case .object(let partial)? = response["partialSuccess"] {
            let name = signal == .logs ? "rejectedLogRecords" : "rejectedSpans"
            guard case .string(let count)? = partial[name],
                case .string(let text)? = partial["errorMessage"]
            else {
                throw JSONError("a member is missing", 0)
            }
            rejected = try #require(Int64(count))
            message = text
        }
    }
}

extension RPCStatus {
    init(protobuf bytes: [UInt8]) throws {
        self.init(.unknown, "")
        try bytes.withUnsafeBytes { buffer in
            var status = ProtobufReader(buffer)
            while let field = try status.nextField() {
                switch (field.number, field.wireType) {
                case (1, .varint): code = Int32(truncatingIfNeeded: try status.varint())
                case (2, .lengthDelimited): message = try status.string()
                default: try status.skip(field)
                }
            }
        }
    }
}
