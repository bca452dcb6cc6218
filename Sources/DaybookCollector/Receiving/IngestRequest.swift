import DaybookBase
import DaybookHTTP
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Body size limits, in bytes.
package struct BodyLimits: Sendable, Hashable {
    /// As sent.
    package var wire: Int
    /// After inflating.
    package var inflated: Int

    /// - Parameters:
    ///   - wire: as sent. Default: 4 MiB.
    ///   - inflated: after inflating; `nil`, the default, is four times `wire`.
    package init(wire: Int = 4 << 20, inflated: Int? = nil) {
        self.wire = wire
        self.inflated = inflated ?? 4 * wire
    }
}

enum IngestRoute: String {
    case logs = "/v1/logs"
    case traces = "/v1/traces"
    case events = "/v1/events"
    /// The prefix of a team's own requests.
    case requests = "/v1/requests"
    case health = "/healthz"

    init?(path: String) {
        if path.hasPrefix(Self.requests.rawValue + "/") {
            self = .requests
        } else if let route = Self(rawValue: path), route != .requests {
            self = route
        } else {
            return nil
        }
    }

    /// `nil` if the rules decide.
    var method: String? {
        switch self {
        case .logs, .traces, .events: "POST"
        case .requests: nil
        case .health: "GET"
        }
    }

    /// The OTLP signal of the path; `nil` for other formats.
    var signal: OTLPSignal? {
        switch self {
        case .logs: .logs
        case .traces: .traces
        case .events, .requests, .health: nil
        }
    }
}

enum IngestFormat {
    case protobuf
    case json
    case lines

    /// The format for a content type and path; `nil` if the path does not accept it.
    init?(_ contentType: ContentType, route: IngestRoute) {
        switch (route, contentType.name) {
        case (.logs, "application/x-protobuf"), (.traces, "application/x-protobuf"): self = .protobuf
        case (.logs, "application/json"), (.traces, "application/json"): self = .json
        case (.events, "application/x-ndjson"), (.events, "application/ndjson"), (.events, "application/jsonl"),
            (.events, "application/json"):
            self = .lines
        // The rules interpret the body themselves.
        case (.requests, _): self = .lines
        default: return nil
        }
    }
}

struct IngestRequest {
    var route: IngestRoute
    var format: IngestFormat
    /// `nil` if uncompressed.
    var encoding: ContentEncoding?

    static func reading(_ head: HTTPRequest.Head) -> Result<IngestRequest, IngestRefusal> {
        guard let route = IngestRoute(path: head.path) else {
            return .failure(head.path == IngestRefusal.metricsPath ? .metrics : .unknownPath(head.path))
        }
        if route == .health {
            guard head.method == "GET" || head.method == "HEAD" else { return .failure(.wrongMethod(route, "GET")) }
            return .success(IngestRequest(route: route, format: .json))
        }
        if let method = route.method, head.method != method { return .failure(.wrongMethod(route, method)) }
        let contentTypes = head.headers.all("content-type")
        let contentType = ContentType(contentTypes.first ?? "")
        guard Set(contentTypes).count < 2, let format = IngestFormat(contentType, route: route) else {
            return .failure(.unknownContentType(contentTypes.joined(separator: ", "), route))
        }
        if let parameter = contentType.unreadable { return .failure(.unreadableContentType(parameter, format)) }
        let encodings = head.headers.all("content-encoding")
            .flatMap { $0.split(separator: ",") }
            .map { $0.lowercased().filter { $0 != " " } }
            .filter { !$0.isEmpty && $0 != "identity" }
        // One encoding only: no client compresses twice, but bombs do.
        let encoding = encodings.first.flatMap { ContentEncoding(name: $0) }
        guard encodings.isEmpty || encodings.count == 1 && encoding != nil else {
            return .failure(.unknownEncoding(encodings.joined(separator: ", "), format))
        }
        return .success(IngestRequest(route: route, format: format, encoding: encoding))
    }

    func body(of request: HTTPRequest, _ limits: BodyLimits) throws(IngestRefusal) -> [UInt8] {
        guard request.body.count <= limits.wire else { throw .tooLarge(limits, format) }
        guard let encoding else { return request.body }
        do {
            return try Inflate.bytes(request.body, encoding, limit: limits.inflated)
        } catch .tooLarge(let limit) {
            throw .tooLarge(Inflate.Failure.tooLarge(limit: limit).description, format)
        } catch {
            throw .notDecoded(error.description, isLimit: false, format)
        }
    }

    /// The response once all but the rejected records are stored.
    func success(_ outcome: IngestOutcome) -> HTTPResponse {
        let response = ExportResponse(rejected: Int64(outcome.rejected), message: outcome.message)
        switch format {
        case .protobuf:
            return HTTPResponse(
                status: 200, headers: ["content-type": "application/x-protobuf"], body: .bytes(response.protobuf()))
        case .json:
            return HTTPResponse(
                status: 200, headers: ["content-type": "application/json"],
                body: .bytes(response.json(route.signal ?? .logs)))
        case .lines:
            var answer: Attributes = [
                "stored": .int(Int64(outcome.stored)), "duplicates": .int(Int64(outcome.duplicates)),
            ]
            if outcome.rejected > 0 { answer["rejected"] = .int(Int64(outcome.rejected)) }
            if !outcome.skipped.isEmpty { answer["skipped"] = .int(Int64(outcome.skipped.total)) }
            if !outcome.unread.isEmpty { answer["unread"] = .int(Int64(outcome.unread.total)) }
            if !outcome.message.isEmpty { answer["message"] = .string(outcome.message) }
            return HTTPResponse(status: 200, contentType: "application/json", text: JSONWriter.text(answer))
        }
    }
}

/// Why a request was refused: an HTTP status and a `google.rpc.Status` in the request's format.
struct IngestRefusal: Error {
    var httpStatus: Int
    /// One word, for counters.
    var reason: String
    var status: RPCStatus
    var format: IngestFormat
    /// Further headers.
    var fields: [(name: String, value: String)]

    /// - Parameter retryAfter: Seconds until the sender should try again.
    init(
        _ httpStatus: Int, _ reason: String, _ code: RPCStatus.Code, _ message: String, _ format: IngestFormat,
        fields: [(name: String, value: String)] = [], retryAfter: Int? = nil
    ) {
        (self.httpStatus, self.reason, self.format) = (httpStatus, reason, format)
        status = RPCStatus(code, message)
        self.fields = fields + (retryAfter.map { [("retry-after", String($0))] } ?? [])
    }

    var response: HTTPResponse {
        var headers: HTTPHeaders = [:]
        headers["content-type"] = format == .protobuf ? "application/x-protobuf" : "application/json"
        for field in fields { headers.add(field.name, field.value) }
        let body = format == .protobuf ? status.protobuf() : status.json()
        return HTTPResponse(status: httpStatus, headers: headers, body: .bytes(body))
    }

    static func unknownPath(_ path: String) -> IngestRefusal {
        IngestRefusal(
            404, "not_found", .notFound,
            "There is nothing at \(path). Records go to /v1/logs, /v1/traces or /v1/events.", .json)
    }

    static let metricsPath = "/v1/metrics"

    /// 404, so that senders do not retry.
    static let metrics = IngestRefusal(
        404, "metrics", .unimplemented,
        "Daybook keeps logs and traces, and no metrics. Send metrics elsewhere, or none: OTEL_METRICS_EXPORTER=none, "
            + "or in an OpenTelemetry Collector no metrics pipeline to this endpoint.", .json)

    static func wrongMethod(_ route: IngestRoute, _ method: String) -> IngestRefusal {
        IngestRefusal(
            405, "method", .unimplemented,
            "\(route.rawValue) takes \(method) only.", .json, fields: [("allow", method)])
    }

    static func noRule(_ method: String, _ path: String, hasRules: Bool) -> IngestRefusal {
        let message =
            hasRules
            ? "No rule of the collector matches \(method) \(path)."
            : "The collector has no rules for a team's own requests: --request-rules FILE."
        return IngestRefusal(404, "not_found", .notFound, message, .lines)
    }

    /// A request that another site's page made the browser send; on loopback no key prevents that.
    static func crossSite() -> IngestRefusal {
        IngestRefusal(403, "cross_site", .permissionDenied, "Requests from pages of other sites are refused.", .lines)
    }

    static func unknownContentType(_ contentType: String, _ route: IngestRoute) -> IngestRefusal {
        let known = route == .events ? "application/x-ndjson" : "application/x-protobuf or application/json"
        let message =
            contentType.isEmpty
            ? "\(route.rawValue) needs a content type."
            : "\(route.rawValue) cannot read the content type \(contentType)."
        return IngestRefusal(415, "content_type", .invalidArgument, "\(message) Send \(known).", .json)
    }

    /// A content type that gives the body a meaning we do not read.
    static func unreadableContentType(_ parameter: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            415, "content_type", .invalidArgument,
            "A content type with \(parameter.cut(toUTF8Bytes: 100)) is not read. "
                + "Send texts in UTF-8 and one message as a body, and no such parameter.", format)
    }

    static func unknownEncoding(_ encoding: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            415, "content_encoding", .invalidArgument,
            "The content encoding \(encoding) is not known. Send gzip, deflate, zstd or none, once.", format)
    }

    static func tooLarge(_ limits: BodyLimits, _ format: IngestFormat) -> IngestRefusal {
        tooLarge(
            "The body has more than \(limits.wire) bytes, the collector's limit (body-limit). Send smaller batches.",
            format)
    }

    static func tooLarge(_ message: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(413, "too_large", .resourceExhausted, message, format)
    }

    /// - Parameter isLimit: the body may be valid but is over a limit: 413, so that the sender splits it.
    static func notDecoded(_ message: String, isLimit: Bool, _ format: IngestFormat) -> IngestRefusal {
        if isLimit { return tooLarge(message, format) }
        return IngestRefusal(400, "not_decoded", .invalidArgument, message, format)
    }

    /// The reason names hosts and files, so only the operator gets it.
    static func storeFailed(retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            503, "store", .unavailable, "The records were not stored, because the store failed. Send them again later.",
            format, retryAfter: retryAfter)
    }

    /// Over the load limit; the sender should back off.
    static func overloaded(retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            503, "overload", .unavailable,
            "The collector is overloaded. Send it again later.", format, retryAfter: retryAfter)
    }

    /// Another request is storing the same records: its sender gave up waiting and resent them.
    static func repeatedWhileStored(retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            503, "repeated", .unavailable,
            "Another request with the same records is being stored. Send it again later.",
            format, retryAfter: retryAfter)
    }

    static func overQuota(_ name: String, retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            429, "quota", .resourceExhausted,
            "The key \(name) has used up its quota. Send it again later.", format, retryAfter: retryAfter)
    }

    /// 429, because OpenTelemetry senders retry it, but not 507.
    static func storeIsFull(_ limit: Int64, retryAfter: Int, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            429, "store_quota", .resourceExhausted,
            "The store has reached its quota of \(limit) bytes. Nothing is stored until records are erased or the "
                + "quota is raised. Send it again later.", format, retryAfter: retryAfter)
    }

    static func unauthenticated(_ message: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(
            401, "key", .unauthenticated, message, format, fields: [("www-authenticate", "Bearer realm=\"daybook\"")])
    }

    static func forbidden(_ message: String, _ format: IngestFormat) -> IngestRefusal {
        IngestRefusal(403, "key", .permissionDenied, message, format)
    }
}
