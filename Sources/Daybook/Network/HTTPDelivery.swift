import Foundation

/// What an HTTP answer without success means for a batch, whatever protocol the batch was sent by. Pure.
///
/// Source: RFC 9110, *Status Codes* and *Retry-After*; OTLP specification, *OTLP/HTTP Response*.
package struct HTTPDelivery {
    private let response: TransportResponse
    private let now: Date

    /// - Parameter now: What a `Retry-After` with a date is counted from.
    package init(_ response: TransportResponse, now: Date) {
        self.response = response
        self.now = now
    }

    /// The meaning of an answer that is not the success the protocol asks for.
    package var failure: Delivery {
        switch response.status {
        case 400, 413, 422:
            .refused(reason: "status \(response.status)\(detail)")
        case 408, 429, 500...599:
            .retry(after: retryAfter, reason: "status \(response.status)\(detail)")
        default:
            // 401, 403, 404, 405, redirects: trying again changes nothing until somebody mends the configuration.
            .pause(reason: "status \(response.status)\(detail): check the address and the key")
        }
    }

    /// The meaning of no answer: the request is sent again. Of the address, what may be secret is left out.
    package static func noAnswer(from url: URL, _ error: any Error) -> Delivery {
        .retry(after: nil, reason: "\(HTTPExchange.redacted(url)) did not answer: \(error.localizedDescription)")
    }

    /// Seconds, or an HTTP date; at most a day.
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
        // A character that the limit cuts in two leaves a mark at the end, which goes with what is over 200 bytes.
        let text = String(decoding: response.body.prefix(204), as: UTF8.self).cut(toUTF8Bytes: 200)
        let isText = !text.isEmpty && !text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{FFFD}" }
        return isText ? " (\(TextFormat.printable(text)))" : ""
    }
}
