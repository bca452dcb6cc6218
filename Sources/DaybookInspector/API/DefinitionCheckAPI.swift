import DaybookDefinitions
import DaybookHTTP
import Foundation

/// Checks a definition file that someone pastes into the page.
struct DefinitionCheckAPI: Sendable {
    private struct Body: Decodable {
        var name: String
        var markdown: String
    }

    func check(_ body: [UInt8]) throws -> HTTPResponse {
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
            throw Problem(
                .badRequest,
                "The body is a JSON object with a file: {\"name\": \"feed.md\", \"markdown\": \"# feed…\"}.")
        }
        let (definitions, diagnostics) = Definitions.load([(path: body.name, bytes: Array(body.markdown.utf8))])
        return Envelope.success {
            $0.object {
                $0.key("diagnostics")
                $0.array(of: diagnostics) { $0.diagnostic($1) }
                $0.key("definitions")
                $0.definitions(definitions)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func diagnostic(_ diagnostic: Diagnostic) {
        object {
            $0.key("severity")
            $0.string(diagnostic.severity.rawValue)
            $0.key("line")
            $0.integer(Int64(diagnostic.location.line))
            $0.key("column")
            $0.integer(Int64(diagnostic.location.column))
            $0.key("message")
            $0.string(diagnostic.message)
            $0.key("hint")
            $0.string(diagnostic.hint)
        }
    }
}
