import Foundation
import Testing

@testable import DaybookInspector

@Suite struct DocumentationTests {
    private func document() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/json-api.md")
        return try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    }

    @Test func everyDocumentedRouteExistsAndTakesItsMethod() throws {
        let headings = try document().matches(of: /### `(GET|POST|DELETE) (\/api\/v1\/[a-zA-Z\/]+)`/)
        var seen: Set<String> = []
        for heading in headings {
            let path = String(heading.2).replacingOccurrences(of: "/ID", with: "/7")
            let route = try #require(InspectorRoute(path: path), "\(path)")
            #expect(route.method == heading.1)
            seen.insert(path)
        }
        #expect(
            seen == [
                "/api/v1/session", "/api/v1/status", "/api/v1/records", "/api/v1/records/count", "/api/v1/records/7",
                "/api/v1/records/7/explanation", "/api/v1/histogram", "/api/v1/facets", "/api/v1/sessions",
                "/api/v1/losses", "/api/v1/sessions/7", "/api/v1/import", "/api/v1/definitions/check",
                "/api/v1/definitions", "/api/v1/tags", "/api/v1/coverage", "/api/v1/checklists",
                "/api/v1/checklists/7/restart",
                "/api/v1/checklists/7/signoff", "/api/v1/checklists/7/report", "/api/v1/checklists/7/items",
                "/api/v1/pairings", "/api/v1/pairings/redeem",
                "/api/v1/runs", "/api/v1/runs/start", "/api/v1/runs/7/finish", "/api/v1/runs/7/verdict",
                "/api/v1/live", "/api/v1/sql",
            ])
    }

    @Test func everyErrorCodeIsDocumentedWithItsStatus() throws {
        let text = try document()
        for code in Problem.Code.allCases {
            #expect(text.contains("| `\(code.rawValue)` | \(code.status) |"), "\(code.rawValue)")
        }
    }
}
