import DaybookAPI
import Foundation
import Testing

@testable import DaybookInspector

@Suite struct DocumentationTests {
    private func document() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/json-api.md")
        return try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    }

    @Test("The document lists exactly the existing routes") func documentsEveryRoute() throws {
        let headings = try document().matches(of: /### `(GET|POST|DELETE) (\/api\/v1\/[a-zA-Z\/]+)`/)
            .map { "\($0.1) \($0.2)" }
        let routes = Bench().handler.routes.map { route in
            "\(route.methods?.joined() ?? "") \(route.path.description.replacing(/{id…?}/, with: "ID"))"
        }
        #expect(Set(headings).count == headings.count)
        #expect(headings.sorted() == routes.filter { $0.contains("/api/v1/") }.sorted())
        #expect(headings.count == 43)
    }

    @Test("Every error code is documented with its status") func documentsErrorCodes() throws {
        let text = try document()
        for code in Problem.Code.allCases {
            #expect(text.contains("| `\(code.rawValue)` | \(code.status) |"), "\(code.rawValue)")
        }
    }
}
