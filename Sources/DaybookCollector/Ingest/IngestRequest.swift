import Daybook
import DaybookHTTP
import DaybookOTLP
import DaybookStore

/// The paths of the ingest.
enum Route: String {
    case logs = "/v1/logs"
    case traces = "/v1/traces"
    case events = "/v1/events"
    case health = "/healthz"

    var method: String { self == .health ? "GET" : "POST" }
}

/// How a body is written.
enum IngestFormat {
    case protobuf
    case json
    case lines

    /// The format of a content type on a path; `nil` where the path takes no such.
    init?(contentType: String, route: Route) {
        let name = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        switch (route, name) {
        case (.logs, "application/x-protobuf"), (.traces, "application/x-protobuf"): self = .protobuf
        case (.logs, "application/json"), (.traces, "application/json"): self = .json
        case (.events, "application/x-ndjson"), (.events, "application/ndjson"), (.events, "application/jsonl"),
            (.events, "application/json"):
            self = .lines
        default: return nil
        }
    }
}

/// What a request's head says: where it goes and how its body is to be read.
struct IngestRequest {
    var route: Route
    var format: IngestFormat
    var isCompressed: Bool

    /// Reads a head, or says why its request cannot be taken.
    static func reading(_ head: HTTPRequest.Head) -> Result<IngestRequest, IngestRefusal> {
        guard let route = Route(rawValue: head.path) else { return .failure(.unknownPath(head.path)) }
        if route == .health {
            guard head.method == "GET" || head.method == "HEAD" else { return .failure(.wrongMethod(route)) }
            return .success(IngestRequest(route: route, format: .json, isCompressed: false))
        }
        guard head.method == route.method else { return .failure(.wrongMethod(route)) }
        let contentType = head.headers["content-type"] ?? ""
        guard let format = IngestFormat(contentType: contentType, route: route) else {
            return .failure(.unknownContentType(contentType, route))
        }
        let encodings = head.headers.all("content-encoding")
            .flatMap { $0.split(separator: ",") }
            .map { $0.lowercased().filter { $0 != " " } }
            .filter { !$0.isEmpty && $0 != "identity" }
        // One encoding only: a body compressed twice is no client's habit, and a bomb's.
        guard encodings.count <= 1, ["gzip", "x-gzip", "deflate"].contains(encodings.first ?? "gzip") else {
            return .failure(.unknownEncoding(encodings.joined(separator: ", "), format))
        }
        return .success(IngestRequest(route: route, format: format, isCompressed: !encodings.isEmpty))
    }

    /// The body as it was before it was compressed.
    func body(of request: HTTPRequest) throws(IngestRefusal) -> [UInt8] {
        guard request.body.count <= IngestHandler.wireLimit else {
            throw .tooLarge(format)
        }
        if !isCompressed { return request.body }
        do {
            return try Inflate.bytes(request.body, limit: IngestHandler.inflatedLimit)
        } catch .tooLarge(let limit) {
            throw .tooLarge(Inflate.Failure.tooLarge(limit: limit).description, format)
        } catch {
            throw .notDecoded(error.description, isLimit: false, format)
        }
    }

    /// The answer to records that are stored, but for those that no store can keep.
    func success(_ outcome: IngestOutcome) -> HTTPResponse {
        let response = ExportResponse(rejected: Int64(outcome.rejected), message: outcome.reason)
        switch format {
        case .protobuf:
            return HTTPResponse(
                status: 200, headers: ["content-type": "application/x-protobuf"], body: .bytes(response.protobuf()))
        case .json:
            return HTTPResponse(
                status: 200, headers: ["content-type": "application/json"],
                body: .bytes(response.json(route == .traces ? .traces : .logs)))
        case .lines:
            var answer: Attributes = [
                "stored": .int(Int64(outcome.stored)), "duplicates": .int(Int64(outcome.duplicates)),
            ]
            if outcome.rejected > 0 {
                answer["rejected"] = .int(Int64(outcome.rejected))
                answer["message"] = .string(outcome.reason)
            }
            return HTTPResponse(status: 200, contentType: "application/json", text: JSONWriter.text(answer))
        }
    }
}
