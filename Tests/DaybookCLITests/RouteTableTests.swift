import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

/// Every route of API and server rejects what it does not understand, by name, for members and parameters as people,
/// other tools and typos misspell them.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct RouteTableTests {
    private static let prefix = "/api/v1/"
    /// Takes records, one a line, whose members are read elsewhere.
    private static let imports = "/api/v1/import"
    /// Members whose empty text has a meaning.
    private static let mayBeEmpty: Set = ["markdown", "sql"]

    /// By path, a body with every allowed member.
    private static let bodies: [String: Attributes] = [
        "/api/v1/sql": ["sql": "SELECT 1"],
        "/api/v1/insights": ["insight": "a.b -> a.c within 1h"],
        "/api/v1/definitions/check": ["name": "feed.md", "markdown": "# feed"],
        "/api/v1/checklists/check": ["name": "release.md", "markdown": "# release"],
        "/api/v1/checklists/{id…}/source": ["markdown": "# release", "version": "1"],
        "/api/v1/checklists/{id…}/items": ["scenario": "release", "item": "a.b", "version": "1"],
        "/api/v1/checklists/{id…}/items/undo": ["version": "1"],
        "/api/v1/checklists/{id…}/signoff": [
            "run": 1, "installation": "i", "session": "s", "version": "1", "persona": "free", "tester": "Aya",
            "build": "1", "device": "Phone", "notes": "slow", "ticked": ["release/1"],
            "waivers": [["item": "release/2", "reason": "known"]],
        ],
        "/api/v1/runs/start": [
            "checklist": "release", "scenario": "release", "persona": "free", "tester": "Aya", "build": "1",
            "installation": "i", "session": "s", "version": "1",
        ],
        "/api/v1/pairings": ["checklist": "release", "persona": "free", "tester": "Aya"],
        "/api/v1/pairings/redeem": ["code": "x", "installation": "i", "build": "1", "device": "Phone"],
        "/api/v1/boards/{id}/blocks": [
            "title": "A day", "sql": "SELECT 1", "chart": "line", "x": "day", "y": "n", "series": "version",
            "board": "Search", "version": "1",
        ],
        "/api/v1/boards/{id}/blocks/undo": ["version": "1"],
        "/api/v1/alerts": [
            "name": "Errors", "sql": "SELECT 1", "every": "5m", "when": ["value > 0"], "for": "5m",
            "notify": ["mailto:a@example.com"], "prose": "Call Ann.",
        ],
        "/api/v1/alerts/undo": ["file": "errors.md", "version": "1"],
        "/api/v1/alerts/mute": ["alert": "Errors", "for": "1h", "by": "Ann"],
    ]

    private let handler: InspectorHandler
    private let token = AccessToken()

    init() throws {
        let folder = TemporaryDirectory.current.file("project")
        let alerts = AlertFiles(
            folder: folder, secrets: .none, tables: StatementTables(dialect: .sqlite),
            masking: MaskingPolicy())
        handler = InspectorHandler(
            store: MemoryStore(), definitions: Definitions(),
            checklists: [try Checklist(markdown: "# release\n- [ ] a.b\n", file: folder + "/release.md")], token: token,
            notices: LiveNotices()
        ) {
            $0.writesChecklists = true
            $0.pairing = PairingDesk(address: { .init(collector: "", isLocal: true) }) { _ in nil }
            $0.boards = BoardFolder(folder)
            $0.routes = AlertsAPI(nil).routes + alerts.routes
            $0.checklistFolder = folder
        }
    }

    private var routes: [HTTPRoute] { handler.routes.filter { $0.path.description.hasPrefix(Self.prefix) } }

    private func send(
        _ route: HTTPRoute, _ query: [(name: String, value: String)] = [], _ body: Value? = nil
    ) async -> (status: Int, message: String) {
        await send(route, query, text: body.map(JSONWriter.text) ?? "")
    }

    private func send(
        _ route: HTTPRoute, _ query: [(name: String, value: String)], text: String
    ) async -> (status: Int, message: String) {
        let head = HTTPRequest.Head(
            method: route.methods?.first ?? "GET", path: route.path.description.replacing(/{\w+…?}/, with: "1"),
            query: query, headers: ["authorization": "Bearer \(token.text)"])
        let answer = await handler.respond(to: HTTPRequest(head: head, body: Array(text.utf8)))
        guard case .bytes(let text) = answer.body, case .object(let object)? = try? JSONReader.value(of: text),
            case .object(let error)? = object["error"], case .string(let message)? = error["message"]
        else { return (answer.status, "") }
        return (answer.status, message)
    }

    /// Names that others use, and a name that nobody does.
    private static func wrongNames(for name: String, not known: some Collection<String>) -> [String] {
        var random = SeededGenerator(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        let words = name.split(separator: "_")
        let camel = (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased()[...] + $0.dropFirst() })
            .joined()
        let nonsense = String("abcdefgхй日é-".shuffled(using: &random).prefix(9))
        return [
            name.capitalized, name.uppercased(), camel, "app_" + name, "app" + name.capitalized, name + "s",
            String(name.dropLast()), name + " ", name + "_id", nonsense,
        ].filter { !$0.isEmpty && !known.contains($0) }
    }

    @Test("Every route rejects unknown and empty parameters by name") func routesNameBadParameters() async throws {
        for route in routes {
            let known = try #require(route.parameters, "\(route.path) takes any parameter")
            for name in known.sorted() + ["version"] {
                for wrong in Self.wrongNames(for: name, not: known) {
                    let query = known.contains("filter") ? [("filter", "a.b"), (wrong, "1")] : [(wrong, "1")]
                    let (status, message) = await send(route, query)
                    #expect(status == 400 && message.contains("no parameter “\(wrong)”"), "\(route.path) \(message)")
                }
                guard known.contains(name) else { continue }
                let capital = await send(route, [(name.uppercased(), "1")]).message
                #expect(capital.contains("did you mean \(name)?"), "\(route.path) \(capital)")
                for query in [[(name, "")], [(name, "1"), (name, "1")]] {
                    let (status, message) = await send(route, query)
                    #expect(status == 400 && message.hasPrefix("\(name) is "), "\(route.path) \(message)")
                }
            }
        }
    }

    @Test("Every request body rejects unknown members by name") func bodiesNameBadMembers() async throws {
        let taking = routes.filter { $0.bodyLimit != 0 && $0.path.description != Self.imports }
        #expect(taking.map(\.path.description).sorted() == Self.bodies.keys.sorted())
        for route in taking {
            let body = try #require(Self.bodies[route.path.description])
            await refusesUnknownMembers(route, body)
            // The message lists exactly the known members.
            let (status, message) = await send(route, [], ["zzzzzzzz": 1])
            let known = body.elements.map(\.key).sorted()
            let list = known.count == 1 ? "there is \(known[0])." : "there are \(known.joined(separator: ", "))."
            #expect(status == 400 && message.hasSuffix(list), "\(route.path) \(message)")
        }
    }

    private func refusesUnknownMembers(_ route: HTTPRoute, _ body: Attributes) async {
        let known = body.elements.map(\.key)
        for (name, value) in body.elements.map({ ($0.key, $0.value) }) {
            for wrong in Self.wrongNames(for: name, not: known) {
                var renamed = body
                renamed[name] = nil
                renamed[wrong] = value
                var more = body
                more[wrong] = .null
                for body in [renamed, more] {
                    let (status, message) = await send(route, [], .object(body))
                    #expect(status == 400 && message.contains("no member “\(wrong)”"), "\(route.path) \(message)")
                }
            }
            // The JSON writer never repeats a name.
            let (once, again) = (JSONWriter.text(body), JSONWriter.text([name: value] as Attributes))
            let (status, message) = await send(route, [], text: "\(once.dropLast()),\(again.dropFirst())")
            #expect(status == 400 && message == "“\(name)” is given twice.", "\(route.path) \(message)")
            guard case .array(let elements) = value, case .object(let inner)? = elements.first else { continue }
            for key in inner.elements.map(\.key) {
                for wrong in Self.wrongNames(for: key, not: inner.elements.map(\.key)) {
                    var renamed = inner
                    renamed[wrong] = renamed[key]
                    var body = body
                    body[name] = .array([.object(inner), .object(renamed)])
                    let (status, message) = await send(route, [], .object(body))
                    #expect(
                        status == 400 && message.contains("no member “\(name)[1].\(wrong)”"), "\(route.path) \(message)"
                    )
                }
            }
        }
    }

    @Test("Every request body rejects wrong types and empty texts") func bodiesCheckTypes() async {
        for route in routes where route.bodyLimit != 0 {
            guard let body = Self.bodies[route.path.description] else { continue }
            for (name, value) in body.elements.map({ ($0.key, $0.value) }) {
                for (wrong, place) in Self.wrongValues(for: value, name)
                where wrong != .string("") || !Self.mayBeEmpty.contains(name) {
                    var body = body
                    body[name] = wrong
                    let (status, message) = await send(route, [], .object(body))
                    #expect(status == 400, "\(route.path) \(name) \(JSONWriter.text(wrong)): \(message)")
                    #expect(message.hasPrefix("“\(place)” is "), "\(route.path) \(message)")
                }
            }
            for wrong: Value in [.array([.object(body)]), .string("{}"), .int(1), .null] {
                let (status, message) = await send(route, [], wrong)
                #expect(status == 400, "\(route.path) \(JSONWriter.text(wrong)): \(message)")
            }
        }
    }

    /// Values of other types than the member's, and what the message calls them.
    private static func wrongValues(for value: Value, _ name: String) -> [(Value, String)] {
        let others: [Value] = [
            .int(5), .double(1.5), .bool(true), .array([]), .object([:]), .string(""), .string("x y"),
        ]
        switch value {
        case .string: return others.filter { $0.text != "x y" }.map { ($0, name) }
        case .int: return others.filter { $0 != .int(5) }.map { ($0, name) }
        case .array(let elements):
            let inner = elements.first.map { wrongValues(for: $0, name + "[0]") } ?? []
            return others.filter { $0 != .array([]) }.map { ($0, name) }
                + inner.map { (.array([$0.0]), $0.1) }
        case .object:
            return others.filter { $0 != .object([:]) }.map { ($0, name) }
        default: return []
        }
    }
}
