import Daybook
import Foundation

/// What a receiver's answer means for a batch. Pure.
///
/// Source: OTLP specification, *OTLP/HTTP Response*, and RFC 9110 for `Retry-After`.
struct OTLPAnswer {
    static let contentType = "application/x-protobuf"

    private let response: TransportResponse
    private let now: Date

    init(_ response: TransportResponse, now: Date) {
        self.response = response
        self.now = now
    }

    var delivery: Delivery {
        switch response.status {
        case 200:
            return success
        case 400, 413, 422:
            return .refused(reason: "status \(response.status)\(detail)")
        case 408, 429, 500...599:
            return .retry(after: retryAfter, reason: "status \(response.status)\(detail)")
        default:
            // 401, 403, 404, 405, redirects: trying again changes nothing until somebody mends the configuration.
            return .pause(reason: "status \(response.status)\(detail): check the address and the key")
        }
    }

    /// A 200 counts only if it is an OTLP answer: a captive portal answers 200 with a page.
    private var success: Delivery {
        let type = response.headers["content-type"]?.split(separator: ";").first ?? ""
        guard type.lowercased() == Self.contentType, let answer = try? ExportResponse(protobuf: response.body) else {
            return .retry(after: nil, reason: "status 200, but not from an OTLP receiver (content type \"\(type)\")")
        }
        return answer.rejected <= 0 ? .delivered : .partly(rejected: Int(clamping: answer.rejected))
    }

    /// Seconds, or an HTTP date.
    private var retryAfter: Duration? {
        guard let text = response.headers["retry-after"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date = format.date(from: text) else { return nil }
        return .seconds(max(0, min(86_400, date.timeIntervalSince(now))))
    }

    /// The receiver's own words, if they are text.
    private var detail: String {
        let text = String(decoding: response.body.prefix(200), as: UTF8.self)
        let isText = !text.isEmpty && !text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{FFFD}" }
        return isText ? " (\(text))" : ""
    }
}
