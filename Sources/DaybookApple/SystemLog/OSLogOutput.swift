import Daybook

#if canImport(os)
    import Daybook
    import DaybookBase
    import os

    /// Writes records to the system's log, where Console.app, Xcode and `log stream` show them.
    ///
    /// The category is the event's category or the record's tag, so that Console's filters work on them. The system cuts a
    /// line at about 1,000 bytes and keeps *info* and *debug* only while somebody watches: this is for looking, the
    /// journal is for keeping. Safe to share between threads.
    public final class OSLogOutput: Output {
        public let id: String
        private let subsystem: String
        private let privacy: SystemLogPrivacy
        private let state = Mutex(State())

        private struct State {
            var categories = SystemLogCategories()
            var loggers: [String: os.Logger] = [:]
        }

        /// An output.
        /// - Parameters:
        ///   - subsystem: The app's name in the log, as a reverse domain name: the bundle identifier.
        ///   - privacy: What everyone who reads the device's log may see. Default: all but private columns.
        ///   - id: Its name in ledgers; unique in a pipeline.
        public init(subsystem: String, privacy: SystemLogPrivacy = .asDefined, id: String = "oslog") {
            self.id = id
            self.subsystem = subsystem
            self.privacy = privacy
        }

        public func write(_ record: Record) {
            let logger = logger(for: record)
            let type = OSLogType(rawValue: SystemLogType(record.level).rawValue)
            let text = SystemLogText(record, privacy: privacy)
            if let hidden = text.hidden {
                logger.log(level: type, "\(text.open, privacy: .public) \(hidden, privacy: .private)")
            } else {
                logger.log(level: type, "\(text.open, privacy: .public)")
            }
        }

        private func logger(for record: Record) -> os.Logger {
            state.withLock { state in
                let category = state.categories.category(of: record)
                if let logger = state.loggers[category] { return logger }
                let logger = os.Logger(subsystem: subsystem, category: category)
                state.loggers[category] = logger
                return logger
            }
        }
    }
#endif

/// What the system's log may show of records to whoever reads it.
public enum SystemLogPrivacy: Sendable, Hashable {
    /// Everything but the columns that the definitions call private: these are there while a debugger is attached, and
    /// `<private>` otherwise. The default.
    case asDefined
    /// The tag alone; texts and values are there while a debugger is attached.
    case tagsOnly
}

/// The two parts of a record's line in the system's log.
package struct SystemLogText: Sendable, Hashable {
    /// For everyone who can read the device's log.
    package var open: String
    /// For a debugger; `nil` where nothing is to be hidden.
    package var hidden: String?

    package init(_ record: Record, privacy: SystemLogPrivacy) {
        // The system's log has its own time, level and category.
        var format = TextFormat.line
        format.time = .hidden
        format.icons = .none
        format.colours = .never
        switch privacy {
        case .asDefined:
            open = format.text(of: record)
            let values = Attributes(
                record.attributes.elements.filter { record.privateNames.contains($0.key) }.map { ($0.key, $0.value) })
            hidden = values.isEmpty ? nil : TextFormat.printable(JSONWriter.text(values))
        case .tagsOnly:
            open = TextFormat.printable(record.tag)
            format.showsPrivate = true
            hidden = format.text(of: record)
        }
    }
}

/// The five types of the system's log, in its order. Raw values are those of `OSLogType`.
///
/// Source: `os/log.h`, *os_log_type_t*.
package enum SystemLogType: UInt8, Sendable, CaseIterable {
    case standard = 0x00
    case info = 0x01
    case debug = 0x02
    case error = 0x10
    case fault = 0x11

    /// The type that records of a level are written with. The system stores *info* and *debug* only while somebody
    /// watches; from *warning* on it keeps them.
    package init(_ level: Level) {
        switch level {
        case .trace, .debug: self = .debug
        case .info: self = .info
        case .warning: self = .standard
        case .error: self = .error
        case .fatal: self = .fault
        }
    }

    /// The level of a line that somebody else has written: the system's default type, which `NSLog` and `os_log` have, is
    /// no warning there.
    package var importedLevel: Level {
        switch self {
        case .debug: .debug
        case .info, .standard: .info
        case .error: .error
        case .fault: .fatal
        }
    }
}

/// The category under which a record stands in the system's log: of an event its category, of anything else its tag.
///
/// The system never frees a category, so that a process gets a bounded number; what comes later stands under
/// ``overflow``. A value: its owner guards it.
package struct SystemLogCategories: Sendable {
    /// As many as a hand-written app has, many times over.
    package static let limit = 256
    package static let overflow = "other"

    private var known: Set<String> = []

    package init() {}

    /// The category of a record.
    package mutating func category(of record: Record) -> String {
        let name = Self.name(of: record)
        if known.contains(name) { return name }
        guard known.count < Self.limit else { return Self.overflow }
        known.insert(name)
        return name
    }

    private static func name(of record: Record) -> String {
        guard record.kind == .event, let dot = record.tag.lastIndex(of: "."), dot > record.tag.startIndex else {
            return record.tag
        }
        return String(record.tag[..<dot])
    }
}
