import DaybookBase
import DaybookChecklist
import DaybookStore

/// A marker of a run as this inspector writes and reads it: a record of the kind *run* whose tag ends in `start` or
/// `finish`, with the columns that `daybook verify` knows.
struct RunNote: Sendable, Hashable {
    enum Edge: String, Sendable { case start, finish }

    /// The states that a sign-off counts.
    static let counted = ["ok", "failed", "waiting"]

    var edge: Edge
    /// The checklist's title, as `daybook verify` knows it.
    var title: String
    /// The inspector's id of the checklist, which tells two of one title apart; `nil` in another's marker.
    var id: String?
    var persona: String?
    var tester: String?
    var build: String?
    /// The only scenario that is run; `nil` for all.
    var scenario: String?
    /// Whose records the run is made of; `nil` for everyone's.
    var installation: String?
    /// The number of the start that a finish speaks of; `nil` for the latest of its checklist and installation.
    var run: Int64?
    /// How many items stood how when the run was signed off, by their state's name.
    var counts: [String: Int] = [:]
    /// Nanoseconds since 1970.
    var time: Int64
    /// The marker's arrival number; 0 before it is stored.
    var number: Int64 = 0

    init(
        _ edge: Edge, of title: String, id: String?, persona: String? = nil, tester: String? = nil,
        build: String? = nil,
        time: Int64
    ) {
        self.edge = edge
        self.title = title
        self.id = id
        self.persona = persona
        self.tester = tester
        self.build = build
        self.time = time
    }

    /// `nil` for a marker of no checklist, or with neither of the tags.
    init?(_ record: JSONChecklistRecord) {
        func text(_ column: String) -> String? {
            if case .text(let text)? = record.value(of: column), !text.isEmpty { text } else { nil }
        }
        guard let edge = record.tag.split(separator: ".").last.flatMap({ Edge(rawValue: String($0)) }),
            let title = text("checklist")
        else { return nil }
        self.init(
            edge, of: title, id: text("checklist_id"), persona: text("persona"), tester: text("tester"),
            build: text("build"),
            time: record.time)
        number = record.number
        scenario = text("scenario")
        installation = text("_installation")
        run = text("run").flatMap { Int64($0) }
        for state in Self.counted { counts[state] = text(state).flatMap { Int($0) } }
    }

    /// Whether this marker, which came later, ends the run that `start` began.
    func ends(_ start: RunNote) -> Bool {
        if let run { return edge == .finish && run == start.number }
        return installation == start.installation && title == start.title
            && (id == nil || start.id == nil || id == start.id)
    }

    /// The record to store.
    func row(uid: String, details: [String: String] = [:]) -> RecordRow {
        var writer = JSONBuilder()
        writer.object { writer in
            writer.key("checklist")
            writer.string(title)
            let texts = [
                ("checklist_id", id), ("persona", persona), ("tester", tester), ("build", build),
                ("scenario", scenario), ("run", run.map(String.init)),
            ]
            for (name, value) in texts {
                guard let value else { continue }
                writer.key(name)
                writer.string(value)
            }
            for state in Self.counted {
                guard let count = counts[state] else { continue }
                writer.key(state)
                writer.string(String(count))
            }
            for (name, value) in details.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                writer.string(value)
            }
        }
        var row = RecordRow(
            uid: uid, time: time, kind: .run, level: Int(Level.info.rawValue), tag: "run.\(edge.rawValue)",
            attributes: String(decoding: writer.bytes, as: UTF8.self))
        row.installation = installation
        return row
    }
}
