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
        guard type.lowercased() == Self.contentType, let answer = try? ExportResponse(protobuf: response.body) else {
            return .retry(after: nil, reason: "status 200, but not from an OTLP receiver (content type \"\(type)\")")
        }
        return answer.rejected <= 0 ? .delivered : .partly(rejected: Int(clamping: answer.rejected))
    }
}
