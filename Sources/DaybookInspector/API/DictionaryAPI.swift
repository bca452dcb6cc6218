import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore

struct DictionaryAPI: Sendable {
    /// Largest file in bytes.
    private static let longestText = 262_144

    let definitions: Definitions
    let dialect: StoreDialect?
    let coverage: CoverageFile?
    /// Serialized once, because definitions do not change while the inspector runs.
    private let dictionary: [UInt8]

    init(_ definitions: Definitions, links: InspectorLinks, dialect: StoreDialect?, coverage: CoverageFile?) {
        (self.definitions, self.dialect, self.coverage) = (definitions, dialect, coverage)
        dictionary = Envelope.success(
            Endpoints.definitions.form, DefinitionsAnswer(definitions, links: links.project))
    }

    var routes: [HTTPRoute] {
        [
            HTTPRoute(responding: Endpoints.definitions) { _ in .json(dictionary) },
            // JSON may take six bytes for one.
            HTTPRoute(Endpoints.definitionCheck, bodyLimit: 2 * Self.longestText) { try check($0.body) },
            HTTPRoute(Endpoints.coverage) { try coverage($0.query) },
            HTTPRoute(Endpoints.sqlSchema) { _ in SQLSchema(dialect, definitions) },
        ]
    }

    private func check(_ body: [UInt8]) throws -> DefinitionCheck {
        let body = try RequestBody.read(
            body, "The body is a JSON object with a file: {\"name\": \"feed.md\", \"markdown\": \"# feed…\"}."
        ) { (name: $0.text("name"), markdown: $0.text("markdown", limit: Self.longestText, mayBeEmpty: true)) }
        return DefinitionCheck(of: body.markdown, named: body.name)
    }

    private func coverage(_ parameters: Parameters) throws(Problem) -> CoverageAnswer {
        let report: (events: [EventCoverage], written: Int64)?
        do {
            report = try coverage?.read()
        } catch {
            throw Problem(.unavailable, error.description)
        }
        return try CoverageAnswer(parameters, of: report)
    }
}
