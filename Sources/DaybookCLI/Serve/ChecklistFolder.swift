import DaybookChecklist
import DaybookInspector
import Foundation

/// The checklists of a folder, as the inspector shows them.
enum ChecklistFolder {
    /// Every `.md` of a folder, by name.
    /// - Throws: The located errors of a checklist, or that the folder cannot be read.
    static func load(_ folder: String) throws -> [ChecklistView] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw InputError(file: folder, message: "cannot be read: \(error.localizedDescription)")
        }
        return try names.filter { $0.hasSuffix(".md") }.sorted().map { name in
            let path = folder + "/" + name
            return view(try Checklist(markdown: TextFile.read(path), file: path), id: String(name.dropLast(3)))
        }
    }

    private static func view(_ checklist: Checklist, id: String) -> ChecklistView {
        ChecklistView(
            id: id, title: checklist.title,
            scenarios: checklist.scenarios.enumerated().map { number, scenario in
                ChecklistView.Scenario(
                    id: scenario.name.isEmpty ? "scenario-\(number + 1)" : scenario.name, title: scenario.name,
                    items: scenario.items.enumerated().map { place, item in
                        ChecklistView.Item(
                            id: "\(place + 1)", text: item.text, pattern: pattern(of: item))
                    })
            })
    }

    private static func pattern(of item: ChecklistItem) -> String? {
        if case .expectation(let expectation) = item.content { expectation.pattern.description } else { nil }
    }
}
