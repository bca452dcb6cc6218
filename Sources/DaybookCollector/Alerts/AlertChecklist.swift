import DaybookBase
import DaybookChecklist
import DaybookTools

extension AlertRule {
    /// A checklist to fulfil in every window: the alert's own items, or a selection from a checklist file.
    package struct Watch: Sendable, Hashable {
        package var checklist: Checklist
        /// Judges only this persona's records; `nil`: everyone's.
        package var persona: PersonaTable.Persona?
        /// Window length in seconds.
        package var over: Int64
        /// Path of the checklist file; `nil` if the items are in the alert.
        package var file: String?

        package var text: String {
            guard file != nil else { return checklist.watchedText }
            return checklist.scenarios.map { scenario in
                "## \(scenario.name)\n" + scenario.items.map { "- [ ] \($0.text)\n" }.joined()
            }.joined(separator: "\n")
        }
    }
}

/// Which parts of a checklist file an alert watches.
struct ChecklistChoice {
    struct Setting {
        var text: String
        var line: Int
        var column: Int
    }

    var file: Setting?
    var scenarios: [Setting] = []
    var events: [Setting] = []
    var persona: Setting?

    /// Skips manual steps, which nobody performs.
    func items(of checklist: Checklist) throws(ChecklistChoiceError) -> Checklist {
        var chosen = checklist
        for setting in scenarios where !checklist.scenarios.contains(where: { $0.name == setting.text }) {
            let near = NearestName.of(setting.text, among: checklist.scenarios.map(\.name))
            throw ChecklistChoiceError(
                setting,
                "\(checklist.file) has no scenario `\(setting.text)`" + (near.map { " (did you mean `\($0)`?)" } ?? ""))
        }
        if !scenarios.isEmpty {
            chosen.scenarios.removeAll { scenario in !scenarios.contains { $0.text == scenario.name } }
        }
        var patterns: [TagPattern] = []
        for setting in events {
            do {
                patterns.append(try TagPattern(setting.text))
            } catch {
                throw ChecklistChoiceError(setting, "`event` takes a tag or a pattern: \(error)")
            }
        }
        for index in chosen.scenarios.indices {
            chosen.scenarios[index].items.removeAll { item in
                guard case .expectation = item.content else { return true }
                return !patterns.isEmpty && !patterns.contains(where: item.isAbout)
            }
        }
        chosen.scenarios.removeAll(where: \.items.isEmpty)
        for (setting, pattern) in zip(events, patterns)
        where !chosen.scenarios.contains(where: { $0.items.contains { $0.isAbout(pattern) } }) {
            throw ChecklistChoiceError(setting, "no chosen item of \(checklist.file) is about `\(setting.text)`")
        }
        for setting in scenarios where !chosen.scenarios.contains(where: { $0.name == setting.text }) {
            let what = events.isEmpty ? "that can be watched" : "about the chosen events"
            throw ChecklistChoiceError(setting, "the scenario `\(setting.text)` has no item \(what)")
        }
        if chosen.scenarios.isEmpty, let place = file {
            throw ChecklistChoiceError(place, "no item of \(checklist.file) is chosen")
        }
        return chosen
    }
}

extension ChecklistItem {
    fileprivate func isAbout(_ pattern: TagPattern) -> Bool {
        guard case .expectation(let expectation) = content else { return false }
        return expectation.pattern.onlyTag.map(pattern.matches)
            ?? (pattern.description == expectation.pattern.description)
    }
}

struct ChecklistChoiceError: Error {
    var setting: ChecklistChoice.Setting
    var message: String

    init(_ setting: ChecklistChoice.Setting, _ message: String) {
        self.setting = setting
        self.message = message
    }
}
