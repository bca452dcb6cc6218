import Daybook
import DaybookBase
import Foundation

@testable import DaybookCollector

/// Receives notices; answers with the given statuses in turn, then 200. Status 0 means no response.
final class Receiver: HTTPTransport {
    struct Silence: LocalizedError { let errorDescription: String? = "nobody listens" }
    let statuses = Mutex<[Int]>([])
    /// The headers and body of each response.
    let answer = Mutex<([String: String], String)>(([:], ""))
    private let requests = Mutex<[TransportRequest]>([])

    var bodies: [String] { requests.withLock { $0.map { String(decoding: $0.body, as: UTF8.self) } } }
    var headers: [[String: String]] { requests.withLock { $0.map(\.headers) } }
    var urls: [String] { requests.withLock { $0.map(\.url.absoluteString) } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        requests.withLock { $0.append(request) }
        let status = statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
        if status == 0 { throw Silence() }
        let (headers, body) = answer.withLock { $0 }
        return TransportResponse(status: status, headers: headers, body: Array(body.utf8))
    }
}

/// The messages to the operator.
final class Reports: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

extension AlertSecrets {
    /// Variables that hold addresses; `NONE` and `GONE` are unset.
    static func holding(_ values: [String: String]) throws -> AlertSecrets {
        try AlertSecrets(["NONE", "GONE"] + values.keys, environment: values)
    }
}
