import DaybookHTTP
import DaybookOTLP
import DaybookStore

/// Why a request was not taken: an HTTP status and a `google.rpc.Status` in the request's format.
struct IngestRefusal: Error {
    var httpStatus: Int
    var status: RPCStatus
    var format: IngestFormat
    /// Header fields beside the content type.
    var fields: [(name: String, value: String)] = []

    /// The answer.
    var response: HTTPResponse {
        var headers: HTTPHeaders = [:]
        headers["content-type"] = format == .protobuf ? "application/x-protobuf" : "application/json"
        for field in fields { headers.add(field.name, field.value) }
        let body = format == .protobuf ? status.protobuf() : status.json()
        return HTTPResponse(status: httpStatus, headers: headers, body: .bytes(body))
    }

    static func unknownPath(_ path: String) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 404,
            status: RPCStatus(
                .notFound, "There is nothing at \(path). Records go to /v1/logs, /v1/traces or /v1/events."),
            format: .json)
    }

    static func wrongMethod(_ route: Route) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 405, status: RPCStatus(.unimplemented, "\(route.rawValue) takes \(route.method) only."),
            format: .json, fields: [("allow", route.method)])
    }

    static func unknownContentType(_ contentType: String, _ route: Route) -> IngestRefusal {
        let known = route == .events ? "application/x-ndjson" : "application/x-protobuf or application/json"
        let given = contentType.isEmpty ? "no content type" : "the content type \(contentType)"
        return IngestRefusal(
            httpStatus: 415,
            status: RPCStatus(.invalidArgument, "\(route.rawValue) cannot read \(given). Send \(known)."), format: .json
        )
    }

    static func unknownEncoding(_ encoding: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 415,
            status: RPCStatus(
                .invalidArgument, "The content encoding \(encoding) is not known. Send gzip, deflate or none, once."),
            format: format)
    }

    static func tooLarge(_ message: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(httpStatus: 413, status: RPCStatus(.resourceExhausted, message), format: format)
    }

    /// - Parameter isLimit: the body may be right, but is more than is taken at once: 413, so that the sender halves it.
    static func notDecoded(_ message: String, isLimit: Bool, _ format: IngestFormat) -> IngestRefusal {
        if isLimit { return tooLarge(message, format) }
        return IngestRefusal(httpStatus: 400, status: RPCStatus(.invalidArgument, message), format: format)
    }

    static func storeFailed(_ error: any Error, retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 503, status: RPCStatus(.unavailable, "The records are not stored: \(error)"), format: format,
            fields: [("retry-after", String(retryAfter))])
    }
}
