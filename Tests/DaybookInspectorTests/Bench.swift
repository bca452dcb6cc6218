import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// An inspector over a fake store, and requests to it.
struct Bench {
    /// The same numbers in every run: tests need a known token, not a secret one.
    private struct FixedNumbers: RandomNumberGenerator {
        var value: UInt64 = 0x0123_4567_89ab_cdef
        mutating func next() -> UInt64 {
            defer { value &+= 1 }
            return value
        }
    }

    let store: FakeStore
    let token: AccessToken
    let notices = LiveNotices()
    let handler: InspectorHandler

    init(
        rows: [RecordRow] = [], definitions: Definitions = Definitions(), checklists: [Checklist] = [],
        links: InspectorLinks = .init(), coverage: CoverageFile? = nil, writesChecklists: Bool = false,
        pairing: PairingDesk? = nil, bodies: KeptBodies? = nil, audit: @escaping @Sendable (String) -> Void = { _ in },
        clock: any Clock<Duration> = ContinuousClock(), boards: BoardFolder? = nil
    ) {
        store = FakeStore(rows)
        var numbers = FixedNumbers()
        token = AccessToken(using: &numbers)
        handler = InspectorHandler(
            store: store, definitions: definitions, checklists: checklists, token: token, notices: notices
        ) {
            $0.links = links
            $0.coverage = coverage
            $0.writesChecklists = writesChecklists
            $0.pairing = pairing
            $0.bodies = bodies
            $0.audit = audit
            $0.clock = clock
            $0.boards = boards
            $0.uptime = { .zero }
            $0.checklistFolder = checklists.first.map { URL(fileURLWithPath: $0.file).deletingLastPathComponent().path }
        }
    }

    func send(
        _ method: String = "GET", _ path: String, query: [(name: String, value: String)] = [], body: String = "",
        headers: HTTPHeaders? = nil
    ) async -> HTTPResponse {
        let headers = headers ?? ["authorization": "Bearer \(token.text)"]
        let head = HTTPRequest.Head(method: method, path: path, query: query, headers: headers)
        return await handler.respond(to: HTTPRequest(head: head, body: Array(body.utf8)))
    }
}

extension HTTPResponse {
    var bytes: [UInt8] {
        guard case .bytes(let bytes) = body else { return [] }
        return bytes
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The body as an object.
    func object() throws -> Value { try Value(json: text) }

    /// The `data` of a success.
    func data() throws -> Value {
        let object = try object()
        #expect(object["ok"] == true)
        return try #require(object["data"])
    }

    /// The `code` of a failure.
    func code() throws -> String {
        let object = try object()
        #expect(object["ok"] == false)
        return try #require(object["error"]["code"].text)
    }
}

extension RecordRow {
    static func event(_ tag: String, _ attributes: String = "{}", time: Int64 = 1_795_166_531_204_000_000) -> RecordRow
    {
        RecordRow(uid: "s-\(tag)", time: time, kind: .event, level: 9, tag: tag, attributes: attributes)
    }
}

extension Definitions {
    static let sample: Definitions = {
        let place = SourceLocation(file: "feed.md", line: 3, column: 1)
        return Definitions(
            categories: [
                Category(
                    name: "feed", description: "ホームのフィード",
                    events: [
                        Event(
                            name: "show_article", description: "記事が表示されたとき",
                            columns: [
                                Column(name: "article_id", type: .bigint, notes: ["記事 ID"], location: place),
                                Column(
                                    name: "order", type: .custom("Order"), isOptional: true,
                                    values: [Column.DeclaredValue(value: "latest", description: "新着順")],
                                    location: place),
                            ], location: place),
                        Event(
                            name: "tap_article",
                            columns: [
                                Column(
                                    name: "mail", type: .string(limit: 64), classification: .private, location: place)
                            ], isObsolete: true, location: place),
                    ], location: place)
            ],
            common: [Column(name: "user_id", type: .integer, isOptional: true, location: place)])
    }()
}
