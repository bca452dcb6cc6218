import Daybook

extension RecordRow {
    /// The value of a facet's column; `nil` where it is absent.
    package func value(of field: FacetQuery.Field) -> String? {
        switch field {
        case .kind: kind.rawValue
        case .level: String(level)
        case .tag: tag
        case .module: module
        case .session: session
        case .version: ContextFields(context).version
        case .installation: installation
        }
    }
}

extension Kind {
    /// Whether records of the kind are counted per tag: those that a dictionary may define.
    package var isCountedByTag: Bool {
        switch self {
        case .message, .error, .event: true
        case .span, .request, .run: false
        }
    }
}

extension RecordFilter {
    /// - Throws: ``StoreError``, `badStatement` where there is no condition: nobody erases everything by a slip.
    package func checkForErasing() throws(StoreError) {
        guard isEmpty else { return }
        throw StoreError(.badStatement, "Erasing needs a condition. To erase everything, delete the store.")
    }

    /// The installation, where it is the only condition: then nothing that names it is to stay.
    package var onlyInstallation: String? {
        var other = self
        other.installation = nil
        return other.isEmpty ? installation : nil
    }
}

extension SessionQuery {
    /// ``limit`` brought into 1–1,000.
    package var rowLimit: Int { min(max(limit, 1), 1_000) }
}

extension SessionSummary {
    package init(emptyFor session: String) {
        self.init(session: session, count: 0, errors: 0, firstTime: .max, lastTime: .min)
    }

    package mutating func add(_ row: RecordRow) {
        add(
            time: row.time, level: Int64(row.level), installation: row.installation,
            fields: ContextFields(row.context))
    }

    /// Adds a record that arrived after those before.
    package mutating func add(time: Int64, level: Int64, installation: String?, fields: ContextFields) {
        count += 1
        if level >= 17 { errors += 1 }
        firstTime = min(firstTime, time)
        // Of records of the same time the one that arrived last counts.
        guard time >= lastTime else { return }
        lastTime = time
        self.installation = installation
        version = fields.version
        device = fields.device
    }

    /// Adds the session's records that arrived earlier.
    mutating func add(older: SessionSummary) {
        count += older.count
        errors += older.errors
        firstTime = min(firstTime, older.firstTime)
        guard older.lastTime > lastTime else { return }
        lastTime = older.lastTime
        installation = older.installation
        version = older.version
        device = older.device
    }
}
