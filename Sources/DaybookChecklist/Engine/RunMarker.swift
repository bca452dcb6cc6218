import DaybookTools

/// Which records a run is made of: everyone's where nothing is said.
package struct RunScope: Sendable, Hashable {
    package var installation: String?
    package var session: String?
    /// The records' `service.version`.
    package var version: String?

    /// Everyone's records.
    package init(installation: String? = nil, session: String? = nil, version: String? = nil) {
        self.installation = installation
        self.session = session
        self.version = version
    }

    /// Whether a record is part of it.
    package func covers(_ record: some ChecklistRecord) -> Bool {
        func isText(_ value: @autoclosure () -> ChecklistValue?, _ wanted: String?) -> Bool {
            guard let wanted else { return true }
            if case .text(let text)? = value() { return text == wanted }
            return false
        }
        return isText(record.value(of: "_installation"), installation)
            && isText(record.value(of: "_session"), session)
            && isText(record.commonValue(of: "service.version"), version)
    }
}

/// A record of kind *run*: it marks where a run of a checklist starts or finishes, for `verify` over an export and for the
/// inspector alike.
///
/// Its tag ends in `start` or `finish`; its columns, all optional texts, say what is run, by whom and over which records.
package struct RunMarker: Sendable, Hashable {
    /// What a marker begins or ends.
    package enum Edge: String, Sendable { case start, finish }

    /// The tag's end of a record that freezes a run's verdict. It neither starts nor ends one.
    package static let signOff = "signoff"

    package var edge: Edge
    /// Names the run, in its start and in its finish. A run with a name ends with the finish that has the name, and with
    /// nothing else, so that any number go on at once.
    package var run: String?
    /// The checklist's title; `nil` for any.
    package var checklist: String?
    /// The inspector's id of the checklist, which tells two of one title apart.
    package var checklistID: String?
    package var scenario: String?
    package var persona: String?
    package var tester: String?
    package var build: String?
    package var scope = RunScope()
    /// Whether a device says so, and no person: it names no run of a person's, and no tester.
    package private(set) var isDevices = false
    /// Nanoseconds since 1970.
    package var time: Int64
    /// What names the marker's record: in a store its arrival number; 0 before it is stored.
    package var number: Int64 = 0

    /// A marker that is no record yet.
    package init(_ edge: Edge, of checklist: String?, time: Int64) {
        self.edge = edge
        self.checklist = checklist
        self.time = time
    }

    /// Reads a marker; `nil` for a record whose tag says neither.
    package init?(_ record: some ChecklistRecord) {
        guard let edge = record.tag.split(separator: ".").last.flatMap({ Edge(rawValue: String($0)) }) else {
            return nil
        }
        func text(_ column: String) -> String? {
            if case .text(let text)? = record.value(of: column), !text.isEmpty { text } else { nil }
        }
        self.init(edge, of: text("checklist"), time: record.time)
        isDevices = DeviceClaim.isClaim(record.tag)
        run = isDevices ? nil : text("run")
        checklistID = text("checklist_id")
        scenario = text("scenario")
        persona = text("persona")
        tester = isDevices ? nil : text("tester")
        build = text("build")
        scope = RunScope(installation: text("_installation"), session: text("session"), version: text("version"))
        number = record.number
    }

    /// Whether this marker, which came later, ends the run that `start` began. Of runs without a name an installation has
    /// one at a time: its next start ends it too.
    package func ends(_ start: RunMarker) -> Bool {
        guard isDevices == start.isDevices || !isDevices && run != nil else { return false }
        guard run == nil, start.run == nil else {
            return edge == .finish && run == start.run ?? String(start.number)
        }
        func isSame(_ one: String?, _ other: String?) -> Bool { one == nil || other == nil || one == other }
        return scope.installation == start.scope.installation && isSame(checklist, start.checklist)
            && isSame(checklistID, start.checklistID)
    }
}
