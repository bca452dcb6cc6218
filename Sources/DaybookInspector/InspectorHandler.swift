import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// The inspector: one web page and the JSON it loads, as a function from request to response.
///
/// The same handler runs behind a socket, behind a web view's scheme handler and in a test. Every API route requires
/// its token. Checks of `Host` and `Origin` belong around it, because they concern all handlers of a server. Safe to
/// call from any number of tasks at once.
public struct InspectorHandler: HTTPHandler {
    private static let prefix = "/api/v1/"

    let routes: [HTTPRoute]
    private let router: HTTPRouter

    /// Creates an inspector over one store.
    ///
    /// ```swift
    /// let notices = LiveNotices()
    /// let path = folder.appendingPathComponent("inspector.sqlite").path
    /// let store = ObservedStore(try SQLiteStore(path: path)) { notices.notify(head: $0) }
    /// let inspector = InspectorHandler(
    ///     store: store, definitions: Definitions(categories: []), checklists: [], token: AccessToken(), notices: notices)
    /// let app = try Pipeline(directory: folder) {
    ///     Route("**", to: StoreOutput(store), batch: BatchLimits(delay: .milliseconds(250)))
    /// }
    /// ```
    /// - Parameters:
    ///   - store: The store with the records.
    ///   - definitions: The team's definitions; empty if there are none.
    ///   - checklists: In the order of the page. Each is identified by its file's name without folder and `.md`, and
    ///     judged by the store's records and what `notices` report.
    ///   - token: The token that the page and programs must send.
    ///   - notices: Notified after each commit by whatever stores records.
    ///   - configure: Changes options. Default: nothing.
    public init(
        store: any EventStore, definitions: Definitions, checklists: [Checklist], token: AccessToken,
        notices: LiveNotices, configure: (inout InspectorOptions) -> Void = { _ in }
    ) {
        var options = InspectorOptions()
        configure(&options)
        let screens = Screens(store, definitions, checklists, notices, options, token)
        self.init(screens.routes + options.routes, screens.credentials)
    }

    private init(_ routes: [HTTPRoute], _ credentials: Credentials) {
        self.routes = routes
        router = HTTPRouter(routes) { head in
            guard head.path.utf8.starts(with: Self.prefix.utf8) else { return }
            try credentials.check(head)
        } failure: {
            HTTPResponse(failure: $0)
        }
    }

    /// Whether a path belongs to the inspector, for a server with other handlers.
    public static func owns(path: String) -> Bool {
        path == "/" || path.hasPrefix("/assets/") || path.hasPrefix(prefix)
    }

    public func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        switch router.admit(head) {
        case .accept(let bodyLimit): .accept(bodyLimit: bodyLimit)
        case .refuse(let response): .refuse(SecurityHeaders.add(to: response))
        }
    }

    public func work(of head: HTTPRequest.Head) -> HTTPWork { router.work(of: head) }

    public func allows(_ head: HTTPRequest.Head) -> Bool { router.allows(head) }

    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let name = request.head.headers["authorization"] ?? address(request.head.peer)
        let response = await Asker.$current.withValue(Asker(name: name)) { await router.respond(to: request) }
        return SecurityHeaders.add(to: response)
    }

    private func address(_ peer: String) -> String {
        peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer
    }
}

enum SecurityHeaders {
    /// The page needs only its own files. `require-trusted-types-for` makes creating markup from text an error, so that
    /// a payload stays text.
    static let contentSecurityPolicy = """
        default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; \
        require-trusted-types-for 'script'
        """

    static func add(to response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers["content-security-policy"] = contentSecurityPolicy
        response.headers["x-content-type-options"] = "nosniff"
        response.headers["referrer-policy"] = "no-referrer"
        response.headers["x-frame-options"] = "DENY"
        response.headers["cross-origin-opener-policy"] = "same-origin"
        response.headers["cross-origin-resource-policy"] = "same-origin"
        return response
    }
}

/// A file of the page, embedded at build time. Served without a token, because it contains no data.
struct PageAsset: Sendable {
    /// The path in the page's folder: `js/app.js`.
    let path: String
    /// Identifies this version of the file, for caches.
    let tag: String
    let text: StaticString

    var bytes: [UInt8] { text.withUTF8Buffer { Array($0) } }

    var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/plain; charset=utf-8"
        }
    }

    static let byPath = Dictionary(uniqueKeysWithValues: embedded.map { ($0.path, $0) })

    static let routes = [
        HTTPRoute("GET", "/", parameters: nil, isOpen: true) { try response(path: "index.html", $0.head) },
        HTTPRoute("GET", "/assets/{file…}", parameters: nil, isOpen: true) {
            try response(path: $0.text("file"), $0.head)
        },
    ]

    private static func response(path: String, _ head: HTTPRequest.Head) throws(Problem) -> HTTPResponse {
        guard let asset = byPath[path] else {
            throw Problem(.notFound, "The page has no file \(path).")
        }
        let tag = "\"\(asset.tag)\""
        let headers: HTTPHeaders = ["content-type": asset.contentType, "cache-control": "no-cache", "etag": tag]
        if head.headers["if-none-match"] == tag { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(asset.bytes))
    }
}
