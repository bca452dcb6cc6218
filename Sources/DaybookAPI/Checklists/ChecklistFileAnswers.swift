import DaybookBase
import DaybookChecklist
import DaybookTools

/// A checklist's text, and its version for a change.
package struct ChecklistSource: Sendable {
    package var file: String
    package var markdown: String
    package var version: String
    package var isWritable: Bool

    package init(file: String, markdown: String, version: String, isWritable: Bool) {
        (self.file, self.markdown, self.version, self.isWritable) = (file, markdown, version, isWritable)
    }

    static let form = Form<ChecklistSource>.object(
        "ChecklistSource", .init("file", .text, \.file), .init("markdown", .text, \.markdown),
        .init("version", .text, \.version), .init("writable", .bool, \.isWritable),
        make: ChecklistSource.init(file:markdown:version:isWritable:))
}

package struct WrittenChecklist: Sendable {
    package var id: String
    package var file: String
    package var version: String

    package init(id: String, file: String, version: String) { (self.id, self.file, self.version) = (id, file, version) }

    static let form = Form<WrittenChecklist>.object(
        "WrittenChecklist", .init("id", .text, \.id), .init("file", .text, \.file),
        .init("version", .text, \.version), make: WrittenChecklist.init(id:file:version:))
}

/// The problems of a checklist's text, and the positions of its items.
package struct ChecklistCheck: Sendable {
    package struct Item: Sendable {
        package var text: String
        package var line: Int
        package var end: Int
        package var isManual: Bool

        fileprivate static let form = Form<Item>.object(
            "OutlineItem", .init("text", .text, \.text), .init("line", .number, about: "From 1.", \.line),
            .init("end", .number, about: "The last line.", \.end), .init("manual", .bool, \.isManual), make: Item.init)
    }

    package struct Scenario: Sendable {
        package var name: String
        package var line: Int
        package var items: [Item]

        fileprivate static let form = Form<Scenario>.object(
            "OutlineScenario", .init("name", .text, \.name), .init("line", .number, \.line),
            .init("items", .list(Item.form), \.items), make: Scenario.init)
    }

    package var diagnostics: [Diagnostic]
    package var title: String?
    package var scenarios: [Scenario]
    /// Whether new checklists can be written.
    package var hasFolder: Bool

    static let form = Form<ChecklistCheck>.object(
        "ChecklistCheck", .init("diagnostics", .list(Diagnostic.form), \.diagnostics),
        .init("title", .optional(.text), \.title), .init("scenarios", .list(Scenario.form), \.scenarios),
        .init("folder", .bool, \.hasFolder), make: ChecklistCheck.init)
}

extension ChecklistCheck {
    /// - Parameter catalog: The known events; `nil` without definitions.
    package init(of markdown: String, named name: String, catalog: EventCatalog?, hasFolder: Bool) {
        var checklist: Checklist?
        do throws(ChecklistError) {
            let sound = try Checklist(markdown: markdown, file: name)
            checklist = sound
            // Only warnings: items about undefined events are not judged, the others are.
            diagnostics = catalog.map { sound.problems(with: $0) }?.map(\.diagnostic) ?? []
            for index in diagnostics.indices { diagnostics[index].severity = .warning }
        } catch {
            diagnostics = error.problems.map(\.diagnostic)
        }
        (title, self.hasFolder) = (checklist?.title, hasFolder)
        scenarios = (checklist?.scenarios ?? []).map { scenario in
            Scenario(
                name: scenario.name, line: scenario.location.line,
                items: scenario.items.map {
                    Item(
                        text: $0.text, line: $0.location.line, end: $0.lastLine, isManual: $0.content == .manual)
                })
        }
    }
}

/// The numbers of a sign-off and of its run.
package struct SignedRun: Sendable {
    package var id: Int64
    package var run: Int64

    package init(id: Int64, run: Int64) { (self.id, self.run) = (id, run) }

    static let form = Form<SignedRun>.object(
        "SignedRun", .init("id", .integer, \.id), .init("run", .integer, \.run), make: SignedRun.init(id:run:))
}
