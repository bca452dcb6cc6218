import DaybookCollector
import DaybookHTTP
import DaybookInspector
import DaybookServer
import DaybookStore

/// The collector and the inspector behind one server.
struct Service: Sendable {
    private let server: HTTPServer
    private let notices: LiveNotices
    private let token: AccessToken

    /// Opens the store and puts the parts together.
    /// - Throws: What the store says.
    init(_ configuration: ServeConfiguration) async throws {
        let store = try StoreAddress.open(configuration.store, access: .readWrite)
        try await store.createEventViews(EventViews.views(of: configuration.definitions))
        let notices = LiveNotices()
        let ingest = IngestHandler(store: ObservedStore(store) { notices.notify(head: $0) })
        let inspector = InspectorHandler(
            store: store, definitions: configuration.definitions, checklists: configuration.checklists,
            token: configuration.token, notices: notices)
        server = HTTPServer(
            configuration: configuration.server,
            handler: HTTPRouter([
                HTTPRoute(nil, .prefix("/v1/"), ingest),
                HTTPRoute(nil, .exact("/healthz"), ingest),
                HTTPRoute(nil, .prefix("/"), inspector),
            ]))
        self.notices = notices
        token = configuration.token
    }

    /// Starts, and returns the address of the inspector.
    /// - Throws: ``HTTPServerError``, one line that says what to do.
    func start() throws -> String {
        "http://127.0.0.1:\(try server.start())/#token=\(token.text)"
    }

    /// Answers what is under way and stops.
    func stop() async {
        notices.close()
        await server.stop()
    }
}
