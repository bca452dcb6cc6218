import Daybook
import Foundation
import Testing

@testable import DaybookOTLP

struct OTLPAnswerTests {
    private static let protobuf = ["content-type": "application/x-protobuf"]

    private func delivery(
        _ status: Int, _ headers: [String: String] = protobuf, _ body: [UInt8] = [],
        now: Date = Date(timeIntervalSince1970: 0)
    ) -> Delivery {
        OTLPAnswer(TransportResponse(status: status, headers: headers, body: body), now: now).delivery
    }

    @Test("An accepted batch counts as delivered") func acceptedIsDelivered() {
        #expect(delivery(200) == .delivered)
        #expect(delivery(200, ["content-type": "Application/X-Protobuf; charset=x"]) == .delivered)
    }

    @Test("A partial success reports the rejected count") func countsPartialSuccess() {
        #expect(delivery(200, Self.protobuf, [0x0A, 0x02, 0x08, 0x03]) == .partly(rejected: 3))
        #expect(delivery(200, Self.protobuf, [0x0A, 0x00]) == .delivered)
    }

    /// A captive portal answers every request with 200 and its own page.
    @Test("A captive portal's answer is not a success and is retried") func captivePortalIsRetried() {
        guard case .retry = delivery(200, ["content-type": "text/html"], Array("<html>".utf8)) else {
            Issue.record("a page is no answer")
            return
        }
        guard case .retry = delivery(200, Self.protobuf, [0x0A, 0x7F]) else {
            Issue.record("a truncated answer is no answer")
            return
        }
    }

    @Test("A server in trouble is retried", arguments: [408, 429, 500, 503])
    func retriesServerTrouble(status: Int) {
        guard case .retry(nil, _) = delivery(status) else {
            Issue.record("status \(status) must be tried again")
            return
        }
    }

    @Test("A gateway error counts as no answer", arguments: [502, 504]) func gatewayErrorIsNoAnswer(status: Int) {
        guard case .noAnswer = delivery(status) else {
            Issue.record("status \(status) is no answer of the receiver's")
            return
        }
    }

    @Test("A refused batch is marked for bisection", arguments: [400, 413, 422])
    func bisectsRefusal(status: Int) {
        guard case .refused = delivery(status) else {
            Issue.record("status \(status) must be halved")
            return
        }
    }

    @Test("A wrong address or key pauses the output", arguments: [301, 302, 307, 401, 403, 404, 405])
    func badAddressOrKeyPauses(status: Int) {
        guard case .pause = delivery(status) else {
            Issue.record("status \(status) must pause")
            return
        }
    }

    @Test(
        "Retry-After is parsed as seconds or a date",
        arguments: [
            ("120", Duration.seconds(120)), ("0", .zero), ("Thu, 01 Jan 1970 00:01:00 GMT", .seconds(60)),
            ("Wed, 31 Dec 1969 23:00:00 GMT", .zero),
        ])
    func parsesRetryAfter(text: String, expected: Duration) {
        guard case .retry(let after, _) = delivery(429, ["retry-after": text]) else {
            Issue.record("429 must be tried again")
            return
        }
        #expect(after == expected)
    }

    @Test("An unreadable Retry-After is ignored", arguments: ["soon", "-5", "", "1.5"])
    func ignoresBadRetryAfter(text: String) {
        guard case .retry(nil, _) = delivery(503, ["retry-after": text]) else {
            Issue.record("the header must be ignored")
            return
        }
    }
}
