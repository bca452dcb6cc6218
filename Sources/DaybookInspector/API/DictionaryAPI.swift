import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore

/// What the team defined, and how often each tag was seen.
struct DictionaryAPI: Sendable {
    let store: any EventStore
    /// The definitions as JSON: they do not change while the inspector runs, so they are written once.
    let definitions: [UInt8]

    init(store: any EventStore, definitions: Definitions, links: InspectorLinks) {
        self.store = store
        var writer = JSONBuilder(integers: .stringsBeyondJavaScript)
        writer.definitions(definitions, links: links)
        self.definitions = writer.bytes
    }

    var routes: [HTTPRoute] {
        [
            HTTPRoute("GET", "/api/v1/definitions") { _ in dictionary() },
            HTTPRoute("GET", "/api/v1/tags") { try await tags($0.query) },
        ]
    }

    func dictionary() -> HTTPResponse {
        Envelope.success { $0.raw(definitions) }
    }

    /// A page of them; a tag whose versions reach beyond it goes on in the next one, and counts add up.
    func tags(_ parameters: [(name: String, value: String)]) async throws -> HTTPResponse {
        var position: TagPosition?
        for (name, value) in parameters where !value.isEmpty {
            guard name == "after" else {
                throw Problem(.badRequest, "There is no parameter “\(name)”; there is after.")
            }
            position = TagPosition(text: value)
            guard position != nil else {
                throw Problem(.badRequest, "after is the `next` of another answer, not “\(value)”.")
            }
        }
        let page = try await store.tagSummaries(after: position)
        let byVersion = page.summaries.filter { !OwnRecords.have($0.tag) }
        let summaries = byVersion.mergingVersions()
        let versions = Dictionary(grouping: byVersion) { [$0.tag, $0.kind] }
        return Envelope.success {
            $0.object {
                $0.key("tags")
                $0.array(of: summaries) { writer, summary in
                    writer.object {
                        $0.key("tag")
                        $0.string(summary.tag)
                        $0.key("kind")
                        $0.string(summary.kind)
                        $0.key("count")
                        $0.integer(summary.count)
                        $0.key("first_time")
                        $0.decimal(summary.firstTime)
                        $0.key("last_time")
                        $0.decimal(summary.lastTime)
                        $0.key("versions")
                        $0.array(of: versions[[summary.tag, summary.kind]] ?? []) { $0.version($1) }
                    }
                }
                $0.key("next")
                $0.string(page.next?.text)
            }
        }
    }
}

extension TagPosition {
    /// As it stands in an address: a JSON array.
    fileprivate var text: String { JSONWriter.text(.array([.string(tag), .string(kind), .string(version)])) }

    /// `nil` for any other text.
    fileprivate init?(text: String) {
        guard case .array(let parts)? = try? JSONReader.value(of: Array(text.utf8)), parts.count == 3,
            case .string(let tag) = parts[0], case .string(let kind) = parts[1], case .string(let version) = parts[2]
        else { return nil }
        self.init(tag: tag, kind: kind, version: version)
    }
}

extension JSONBuilder {
    fileprivate mutating func version(_ summary: TagSummary) {
        object {
            $0.key("version")
            $0.string(summary.version)
            $0.key("count")
            $0.integer(summary.count)
        }
    }
}

extension JSONBuilder {
    /// The whole dictionary, as the team wrote it; with the team's links where they are asked for.
    mutating func definitions(_ definitions: Definitions, links: InspectorLinks? = nil) {
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
    private struct Body: Decodable {
        var name: String
        var markdown: String
    }

    var routes: [HTTPRoute] {
        [HTTPRoute("POST", "/api/v1/definitions/check", bodyLimit: 1_048_576) { try check($0.body) }]
    }

    func check(_ body: [UInt8]) throws -> HTTPResponse {
        let body = try RequestBody.read(
            Body.self, body,
            "The body is a JSON object with a file: {\"name\": \"feed.md\", \"markdown\": \"# feed…\"}.")
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
