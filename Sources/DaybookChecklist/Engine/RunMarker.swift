/// A record of kind *run*: it marks where a run of a scenario starts or finishes.
///
/// Its tag ends in `start` or `finish`; its columns `checklist`, `scenario`, `persona`, `tester` and `build`, all optional
/// texts, say what is run.
struct RunMarker: Sendable {
    enum Edge: Sendable {
        case start, finish
    }

    var edge: Edge
    var checklist: String?
    var scenario: String?
    var persona: String?
    var tester: String?
    var build: String?

    /// Reads a marker; `nil` for a record whose tag says neither.
    init?(_ record: some ChecklistRecord) {
        switch record.tag.split(separator: ".").last {
        case "start": edge = .start
        case "finish": edge = .finish
        default: return nil
        }
        func text(_ column: String) -> String? {
            if case .text(let text)? = record.value(of: column), !text.isEmpty { text } else { nil }
        }
        checklist = text("checklist")
        scenario = text("scenario")
        persona = text("persona")
        tester = text("tester")
        build = text("build")
    }
}
