import DaybookTools

/// Which records belong to a run; everyone's by default.
package struct RunScope: Sendable, Hashable {
    package var installation: String?
    package var session: String?
    /// The records' `service.version`.
    package var version: String?

    package init(installation: String? = nil, session: String? = nil, version: String? = nil) {
        self.installation = installation
        self.session = session
        self.version = version
    }

    /// Whether a record belongs to it.
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

/// A record of kind *run* that marks the start or finish of a checklist's run, for `verify` over an export and for the
/// inspector alike.
///
/// Its tag ends in `start` or `finish`; its columns, all optional texts, say what is run, by whom and over which
/// records.
package struct RunMarker: Sendable, Hashable {
    package enum Edge: String, Sendable { case start, finish }

    /// The tag's ending of a record that freezes a run's verdict, without starting or finishing a run.
    package static let signOff = "signoff"

    package var edge: Edge
    /// The run's name, in its start and finish. A named run ends only with the finish of that name, so that any number
    /// can overlap.
    package var run: String?
    /// The checklist's title; `nil` for any.
    package var checklist: String?
    /// The inspector's id of the checklist, which distinguishes equal titles.
    package var checklistID: String?
    package var scenario: String?
    package var persona: String?
    package var tester: String?
    package var build: String?
    package var scope = RunScope()
    /// Whether a device sent it: then it names neither a person's run nor a tester.
    package var isDevices = false
    /// Nanoseconds since 1970.
    package var time: Int64
    /// The arrival number of the marker's record; 0 before it is stored.
    package var number: Int64 = 0

    /// A marker not stored yet.
    package init(_ edge: Edge, of checklist: String?, time: Int64) {
        self.edge = edge
        self.checklist = checklist
        self.time = time
    }

    /// `nil` for a record that is not a marker.
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

    /// Whether this later marker ends the run that `start` began. An installation has one unnamed run at a time, so its
    /// next start ends it, too.
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
