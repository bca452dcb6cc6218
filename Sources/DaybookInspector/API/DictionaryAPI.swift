import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

struct DictionaryAPI: Sendable {
    /// As JSON, serialized once, because definitions do not change while the inspector runs.
    let definitions: [UInt8]

    init(definitions: Definitions, links: InspectorLinks) {
        var writer = JSONBuilder(integers: .stringsBeyondJavaScript)
        writer.definitions(definitions, links: links)
        self.definitions = writer.bytes
    }

    var routes: [HTTPRoute] {
        [HTTPRoute("GET", "/api/v1/definitions") { _ in dictionary() }]
    }

    func dictionary() -> HTTPResponse {
        Envelope.success { $0.raw(definitions) }
    }
}

extension JSONBuilder {
    /// Writes the definitions, and the links if given. Values listed for a type are repeated at each of its columns.
    mutating func definitions(_ definitions: Definitions, links: InspectorLinks? = nil) {
        let definitions = definitions.withListedValues
        object {
            $0.key("common")
            $0.array(of: definitions.common) { $0.column($1) }
            $0.key("categories")
            $0.array(of: definitions.categories) { $0.category($1) }
            if let links {
                $0.key("links")
                $0.links(links)
            }
        }
    }

    private mutating func category(_ category: Category) {
        object {
            $0.key("name")
            $0.string(category.name)
            $0.key("description")
            $0.string(category.description)
            $0.key("columns")
            $0.array(of: category.columns) { $0.column($1) }
            $0.key("events")
            $0.array(of: category.events) { $0.event($1, of: category.name) }
        }
    }

    private mutating func event(_ event: Event, of category: String) {
        object {
            $0.key("name")
            $0.string(event.name)
            $0.key("tag")
            $0.string("\(category).\(event.name)")
            $0.key("view")
            $0.string(SQLName.event(tag: "\(category).\(event.name)"))
            $0.key("description")
            $0.string(event.description)
            $0.key("columns")
            $0.array(of: event.columns) { $0.column($1) }
            $0.key("obsolete")
            $0.bool(event.isObsolete)
            $0.key("location")
            $0.string(event.location.description)
        }
    }

    private mutating func column(_ column: Column) {
        object {
            $0.key("name")
            $0.string(column.name)
            $0.key("type")
            $0.string(column.type.source)
            $0.key("optional")
            $0.bool(column.isOptional)
            $0.key("obsolete")
            $0.bool(column.isObsolete)
            $0.key("classification")
            $0.string(column.classification.rawValue)
            $0.key("notes")
            $0.array(of: column.notes) { $0.string($1) }
            $0.key("values")
            $0.array(of: column.values) { writer, value in
                writer.object {
                    $0.key("value")
                    $0.string(value.value)
                    $0.key("description")
                    $0.string(value.description)
                }
            }
        }
    }
}

/// Checks a definition file that someone pastes into the page.
struct DefinitionCheckAPI: Sendable {
    /// Largest file in bytes.
    private static let longestText = 262_144

    var routes: [HTTPRoute] {
        // JSON may use six bytes for one.
        [HTTPRoute("POST", "/api/v1/definitions/check", bodyLimit: 2 * Self.longestText) { try check($0.body) }]
    }

    func check(_ body: [UInt8]) throws -> HTTPResponse {
        let body = try RequestBody.read(
            body, "The body is a JSON object with a file: {\"name\": \"feed.md\", \"markdown\": \"# feed…\"}."
        ) { (name: $0.text("name"), markdown: $0.text("markdown", limit: Self.longestText, mayBeEmpty: true)) }
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

extension JSONBuilder {
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
