import DaybookHTTP
import DaybookOTLP
import DaybookStore

/// Why a request was not taken: an HTTP status and a `google.rpc.Status` in the request's format.
struct IngestRefusal: Error {
    var httpStatus: Int
    /// In one word, for counters.
    var reason: String
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
            httpStatus: 404, reason: "not_found",
            status: RPCStatus(
                .notFound, "There is nothing at \(path). Records go to /v1/logs, /v1/traces or /v1/events."),
            format: .json)
    }

    static func wrongMethod(_ route: Route) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 405, reason: "method",
            status: RPCStatus(.unimplemented, "\(route.rawValue) takes \(route.method) only."),
            format: .json, fields: [("allow", route.method)])
    }

    static func unknownContentType(_ contentType: String, _ route: Route) -> IngestRefusal {
        let known = route == .events ? "application/x-ndjson" : "application/x-protobuf or application/json"
        let given = contentType.isEmpty ? "no content type" : "the content type \(contentType)"
        return IngestRefusal(
            httpStatus: 415, reason: "content_type",
            status: RPCStatus(.invalidArgument, "\(route.rawValue) cannot read \(given). Send \(known)."), format: .json
        )
    }

    static func unknownEncoding(_ encoding: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 415, reason: "content_encoding",
            status: RPCStatus(
                .invalidArgument, "The content encoding \(encoding) is not known. Send gzip, deflate or none, once."),
            format: format)
    }

    /// More bytes than are taken as sent.
    static func tooLarge(_ format: IngestFormat) -> IngestRefusal {
        tooLarge("The body has more than \(IngestHandler.wireLimit) bytes. Send smaller batches.", format)
    }

    static func tooLarge(_ message: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 413, reason: "too_large", status: RPCStatus(.resourceExhausted, message), format: format)
    }

    /// - Parameter isLimit: the body may be right, but is more than is taken at once: 413, so that the sender halves it.
    static func notDecoded(_ message: String, isLimit: Bool, _ format: IngestFormat) -> IngestRefusal {
        if isLimit { return tooLarge(message, format) }
        return IngestRefusal(
            httpStatus: 400, reason: "not_decoded", status: RPCStatus(.invalidArgument, message), format: format)
    }

    /// Why is the operator's to know: it names hosts and files.
    static func storeFailed(retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 503, reason: "store",
            status: RPCStatus(.unavailable, "The records are not stored: the store failed. Send them again later."),
            format: format, fields: [("retry-after", String(retryAfter))])
    }

    /// Too much is in work. The sender's backoff is the cure.
    static func overloaded(retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 503, reason: "overload",
            status: RPCStatus(.unavailable, "The collector has too much to do. Send it again later."), format: format,
            fields: [("retry-after", String(retryAfter))])
    }

    static func overQuota(_ name: String, retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 429, reason: "quota",
            status: RPCStatus(.resourceExhausted, "The key \(name) has used up its quota. Send it again later."),
            format: format, fields: [("retry-after", String(retryAfter))])
    }

    static func unauthenticated(_ message: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            httpStatus: 401, reason: "key", status: RPCStatus(.unauthenticated, message), format: format,
            fields: [("www-authenticate", "Bearer realm=\"daybook\"")])
    }

    static func forbidden(_ message: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(httpStatus: 403, reason: "key", status: RPCStatus(.permissionDenied, message), format: format)
    }
}
