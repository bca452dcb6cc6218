import Daybook
import Foundation

/// What a receiver's answer means for a batch. Pure.
///
/// Source: OTLP specification, *OTLP/HTTP Response*.
struct OTLPAnswer {
    static let contentType = "application/x-protobuf"

    private let response: TransportResponse
    private let now: Date

    init(_ response: TransportResponse, now: Date) {
        self.response = response
        self.now = now
    }

    var delivery: Delivery {
        response.status == 200 ? success : HTTPDelivery(response, now: now).failure
    }

    /// A 200 counts only if it is an OTLP answer: a captive portal answers 200 with a page.
    private var success: Delivery {
        let type = response.headers["content-type"]?.split(separator: ";").first ?? ""
        guard type.lowercased() == Self.contentType, let rejected = try? rejectedCount() else {
            return .retry(after: nil, reason: "status 200, but not from an OTLP receiver (content type \"\(type)\")")
        }
        return rejected == 0 ? .delivered : .partly(rejected: rejected)
    }

    /// `partial_success.rejected_log_records` or `rejected_spans`: field 1 of field 1 in both answers.
    private func rejectedCount() throws(ProtobufError) -> Int {
        var count: UInt64 = 0
        let bytes = response.body
        var failure: ProtobufError?
        bytes.withUnsafeBytes { buffer in
            do throws(ProtobufError) {
                var reader = ProtobufReader(buffer)
                while let field = try reader.nextField() {
                    guard field.number == 1, field.wireType == .lengthDelimited else {
                        try reader.skip(field)
                        continue
                    }
                    var partial = try reader.message()
                    while let inner = try partial.nextField() {
                        if inner.number == 1, inner.wireType == .varint {
                            count = try partial.varint()
                        } else {
                            try partial.skip(inner)
                        }
                    }
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return Int(clamping: count)
    }
}
