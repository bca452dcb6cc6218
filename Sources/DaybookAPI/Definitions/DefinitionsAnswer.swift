import DaybookDefinitions
import DaybookTools

/// The definitions for the page. A type's listed values are repeated at each of its columns.
package struct DefinitionsAnswer: Sendable {
    package var common: [DefinedColumn]
    package var categories: [DefinedCategory]
    package var links: Project.Links?

    static let form = Form<DefinitionsAnswer>.object(
        "Definitions", .init("common", .list(DefinedColumn.form), \.common),
        .init("categories", .list(DefinedCategory.form), \.categories),
        .init(ifAny: "links", Project.Links.form, \.links), make: DefinitionsAnswer.init)
}

extension DefinitionsAnswer {
    /// - Parameter links: Default: `nil`, omitted.
    package init(_ definitions: Definitions, links: Project.Links? = nil) {
        let listed = definitions.withListedValues
        (common, self.links) = (listed.common.map { DefinedColumn($0) }, links)
        categories = listed.categories.map { DefinedCategory($0) }
    }
}

package struct DefinedCategory: Sendable {
    package var name: String
    package var description: String
    package var columns: [DefinedColumn]
    package var events: [DefinedEvent]

    package static let form = Form<DefinedCategory>.object(
        "CategoryDefinition", .init("name", .text, \.name),
        .init("description", .text, about: "Markdown, as all descriptions and notes.", \.description),
        .init("columns", .list(DefinedColumn.form), \.columns), .init("events", .list(DefinedEvent.form), \.events),
        make: DefinedCategory.init)
}

extension DefinedCategory {
    fileprivate init(_ category: Category) {
        (name, description) = (category.name, category.description)
        columns = category.columns.map { DefinedColumn($0) }
        events = category.events.map { DefinedEvent($0, of: category.name) }
    }
}

package struct DefinedEvent: Sendable {
    package var name: String
    package var tag: String
    package var view: String
    package var description: String
    package var columns: [DefinedColumn]
    package var isObsolete: Bool
    package var location: String

    package static let form = Form<DefinedEvent>.object(
        "EventDefinition", .init("name", .text, \.name), .init("tag", .text, \.tag),
        .init("view", .text, about: "The event's typed view in the store.", \.view),
        .init("description", .text, \.description), .init("columns", .list(DefinedColumn.form), \.columns),
        .init("obsolete", .bool, \.isObsolete), .init("location", .text, \.location), make: DefinedEvent.init)
}

extension DefinedEvent {
    fileprivate init(_ event: Event, of category: String) {
        (name, tag, description) = (event.name, "\(category).\(event.name)", event.description)
        (view, columns) = (SQLName.event(tag: tag), event.columns.map { DefinedColumn($0) })
        (isObsolete, location) = (event.isObsolete, event.location.description)
    }
}

package struct DefinedColumn: Sendable {
    package var name: String
    package var type: String
    package var isOptional: Bool
    package var isObsolete: Bool
    package var classification: Column.Classification
    package var notes: [String]
    package var values: [Column.DeclaredValue]

    package static let form = Form<DefinedColumn>.object(
        "ColumnDefinition", .init("name", .text, \.name),
        .init("type", .text, about: "As it is spelt in the definitions: `!bigint`, `!string 256`, `Order`.", \.type),
        .init("optional", .bool, \.isOptional), .init("obsolete", .bool, \.isObsolete),
        .init("classification", .word, \.classification), .init("notes", .list(.text), \.notes),
        .init("values", .list(value), \.values), make: DefinedColumn.init)

    private static let value = Form<Column.DeclaredValue>.object(
        "DeclaredValue", .init("value", .text, \.value), .init("description", .text, \.description)
    ) { Column.DeclaredValue(value: $0, description: $1) }
}

extension DefinedColumn {
    fileprivate init(_ column: Column) {
        (name, type, isOptional) = (column.name, column.type.source, column.isOptional)
        (isObsolete, classification) = (column.isObsolete, column.classification)
        (notes, values) = (column.notes, column.values)
    }
}

extension Project.Links {
    fileprivate static let form = Form<Project.Links>.object(
        "TeamLinks", .init("event", .list(link), \.event), .init("request", .list(link), \.request)
    ) { event, request in
        var links = Project.Links()
        (links.event, links.request) = (event, request)
        return links
    }

    private static let link = Form<Project.Link>.object(
        "LinkTemplate", .init("title", .text, \.title), .init("url", .text, \.url)
    ) { Project.Link(title: $0, url: $1) }
}

/// The problems of a file of definitions, and what it defines.
package struct DefinitionCheck: Sendable {
    package var diagnostics: [Diagnostic]
    package var definitions: DefinitionsAnswer

    static let form = Form<DefinitionCheck>.object(
        "DefinitionCheck", .init("diagnostics", .list(Diagnostic.form), \.diagnostics),
        .init("definitions", DefinitionsAnswer.form, \.definitions), make: DefinitionCheck.init)
}

extension DefinitionCheck {
    package init(of markdown: String, named name: String) {
        let (definitions, diagnostics) = Definitions.load([(path: name, bytes: Array(markdown.utf8))])
        self.init(diagnostics: diagnostics, definitions: DefinitionsAnswer(definitions))
    }
}

extension Diagnostic {
    /// Without the file, which the reader knows.
    static let form = Form<Diagnostic>.object(
        "Diagnostic", .init("severity", .word, \.severity), .init("line", .number, \.location.line),
        .init("column", .number, \.location.column), .init("message", .text, \.message),
        .init("hint", .optional(.text), \.hint)
    ) { severity, line, column, message, hint in
        Diagnostic(severity, at: SourceLocation(file: "", line: line, column: column), message, hint: hint)
    }
}
