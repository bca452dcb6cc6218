import CMicroHTTPD
import DaybookHTTP

/// Whether the HTTP library does what the server needs of it beyond its documentation: that nothing in a head that two
/// parties could read differently passes, whether the library refuses it or leaves its fields in memory as they came, and
/// that a request that it refuses is answered once.
///
/// Versions differ in this, so requests to a server of its own on loopback try it, once in a process.
struct LibraryCheck {
    /// What is tried, and with which request.
    enum Trial: CaseIterable {
        case plainHead, chunks, foldedLine, bareLineFeed, bareReturn, nul, spacedName, refusedLength

        /// Ends with its answer, so that a client reads until the end.
        var request: String {
            let host = "HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close\r\n"
            return switch self {
            case .plainHead: "GET /a?b=c&d \(host)X: y \r\nZ:\r\n\r\n"
            case .chunks: "POST /a \(host)Transfer-Encoding: chunked\r\n\r\n1\r\nb\r\n2\r\ncd\r\n0\r\n\r\n"
            case .foldedLine: "GET /a \(host)X: y\r\n z\r\n\r\n"
            case .bareLineFeed: "GET /a \(host)X: y\nZ: z\r\n\r\n"
            case .bareReturn: "GET /a \(host)X: y\rZ: z\r\n\r\n"
            case .nul: "GET /a \(host)X: y\0z\r\n\r\n"
            case .spacedName: "GET /a \(host)X : y\r\n\r\n"
            case .refusedLength: "POST /a \(host)Content-Length: x\r\n\r\n"
            }
        }

        fileprivate var name: String {
            switch self {
            case .plainHead: "the head of a request"
            case .chunks: "a body in chunks"
            case .foldedLine, .bareLineFeed, .bareReturn, .nul, .spacedName: "an ambiguous head"
            case .refusedLength: "an invalid length"
            }
        }

        fileprivate func accepts(_ answer: String) -> Bool {
            guard answer.ranges(of: "HTTP/1.1 ").count == 1 else { return false }
            return switch self {
            case .plainHead: answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\nGET /a b=c&d= ")
            case .chunks: answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\nPOST /a  bcd")
            case .foldedLine, .bareLineFeed, .bareReturn, .nul, .spacedName, .refusedLength:
                answer.hasPrefix("HTTP/1.1 400 ")
            }
        }
    }

    private let version: String
    private let answer: (Trial) -> String?

    /// - Parameter answer: to a trial's request; `nil` if it cannot be tried.
    init(version: String, answer: @escaping (Trial) -> String?) {
        (self.version, self.answer) = (version, answer)
    }

    /// Why the server cannot start with this library, if it cannot.
    var failure: HTTPServerError? {
        Trial.allCases.first { trial in answer(trial).map { !trial.accepts($0) } ?? false }
            .map { .unfitLibrary(version, failsAt: $0.name) }
    }
}

extension LibraryCheck {
    /// The version of the library that the process has.
    static let version = String(cString: MHD_get_version())

    /// Of the library that the process has.
    static let failureOfProcess: HTTPServerError? = {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(addresses: ["127.0.0.1"], port: 0, threads: 1), handler: Echo(),
            library: { nil })
        // Where there is no loopback, the server's own start says so.
        guard let port = try? server.start() else { return nil }
        defer { Task { await server.stop() } }
        return LibraryCheck(version: version) { trial in
            LoopbackClient.answer(to: trial.request.replacing("PORT", with: "\(port)"), port)
        }.failure
    }()

    private struct Echo: HTTPHandler {
        func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 100) }
        func work(of head: HTTPRequest.Head) -> HTTPWork { .health }

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            let query = request.head.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            let body = String(decoding: request.body, as: UTF8.self)
            return HTTPResponse(
                status: 200, contentType: "text/plain",
                text: "\(request.head.method) \(request.head.path) \(query) \(body)")
        }
    }
}
