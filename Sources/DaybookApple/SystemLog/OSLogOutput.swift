import Daybook

#if canImport(os)
    import Daybook
    import DaybookBase
    import os

    /// Writes records to the system's log, where Console.app, Xcode and `log stream` show them.
    ///
    /// The category is the event's category or the record's tag, for Console's filters. It can also be the file, and
    /// the subsystem the module (``SystemLogPlace``). The system cuts a line at about 1,000 bytes and keeps *info* and
    /// *debug* only while somebody watches: it is for viewing, the journal for keeping. Safe to share between threads.
    public final class OSLogOutput: Output {
        public let id: String
        public let takesStarts: Bool
        private let subsystem: String
        private let privacy: SystemLogPrivacy
        private let state: Mutex<State>

        private struct State {
            var categories: SystemLogCategories
            var loggers: [SystemLogCategories.Entry: os.Logger] = [:]
        }

        /// Creates an output to the system log.
        ///
        /// ```swift
        /// Route("**", to: OSLogOutput(subsystem: "com.example.app"))
        /// ```
        /// - Parameters:
        ///   - subsystem: The app's name in the log, as a reverse domain name: the bundle identifier.
        ///   - privacy: What everyone who can read the device's log sees. Default: all but private columns.
        ///   - place: The subsystem and the category of a record. Default: the app, and the tag.
        ///   - showsStarts: Whether a measurement or request also has a line when it begins. Default: no.
        ///   - id: Its name in ledgers; unique in a pipeline.
        public init(
            subsystem: String, privacy: SystemLogPrivacy = .asDefined, place: SystemLogPlace = .init(),
            showsStarts: Bool = false, id: String = "oslog"
        ) {
            self.id = id
            self.subsystem = subsystem
            self.privacy = privacy
            takesStarts = showsStarts
            state = Mutex(State(categories: SystemLogCategories(by: place)))
        }

        public func start(_ record: Record) { write(record) }

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
                let entry = state.categories.entry(of: record)
                if let logger = state.loggers[entry] { return logger }
                let logger = os.Logger(subsystem: entry.module ?? subsystem, category: entry.category)
                state.loggers[entry] = logger
                return logger
            }
        }
    }
#endif

public enum SystemLogPrivacy: Sendable, Hashable {
    /// All but the columns that the definitions call private: `<private>`, unless a debugger is attached. The default.
    case asDefined
    /// Only the tag; texts and values only while a debugger is attached.
    case tagsOnly
    /// Everything, including private columns, so that a tester's Console.app and `log stream` show them without a
    /// debugger. In a release build, the same as ``asDefined``.
    case everythingInDevelopment
}

package struct SystemLogText: Sendable, Hashable {
    /// For everyone who can read the device's log.
    package var open: String
    /// For a debugger; `nil` if nothing is hidden.
    package var hidden: String?

    /// - Parameter isDebugBuild: Whether to allow what is only for development.
    package init(_ record: Record, privacy: SystemLogPrivacy, isDebugBuild: Bool = InspectorSwitch.isDebugBuild) {
        // The system log has its own time, level and category.
        var format = TextFormat.line
        format.time = .hidden
        format.icons = .none
        format.colours = .never
        switch privacy {
        case .everythingInDevelopment where isDebugBuild:
            format.showsPrivate = true
            open = format.text(of: record)
        case .asDefined, .everythingInDevelopment:
            open = format.text(of: record)
            let values = Attributes(
                record.attributes.elements.filter { record.privateNames.contains($0.key) }.map { ($0.key, $0.value) })
            hidden = values.isEmpty ? nil : JSONWriter.text(values).printable
        case .tagsOnly:
            open = record.tag.printable
            format.showsPrivate = true
            hidden = format.text(of: record)
        }
    }
}

/// The system log's five types, in order. Raw values are those of `OSLogType`.
///
/// Source: `os/log.h`, *os_log_type_t*.
package enum SystemLogType: UInt8, Sendable, CaseIterable {
    case standard = 0x00
    case info = 0x01
    case debug = 0x02
    case error = 0x10
    case fault = 0x11

    /// The system stores *info* and *debug* only while being watched; it keeps *warning* and above.
    package init(_ level: Level) {
        switch level {
        case .trace, .debug: self = .debug
        case .info: self = .info
        case .warning: self = .standard
        case .error: self = .error
        case .fatal: self = .fault
        }
    }

    /// The level of a foreign line. There the default type, used by `NSLog` and `os_log`, is not a warning.
    package var importedLevel: Level {
        switch self {
        case .debug: .debug
        case .info, .standard: .info
        case .error: .error
        case .fault: .fatal
        }
    }
}

/// The subsystem and category of a record in the system log.
public struct SystemLogPlace: Sendable, Hashable {
    public enum Subsystem: Sendable, Hashable {
        /// The subsystem that the output was created with.
        case app
        /// The Swift module that logged the record; the app's without a source, as for events.
        case module
    }

    public enum Category: Sendable, Hashable {
        /// An event's category; for other records, the tag.
        case tag
        /// The file that logged the record, without its extension; the tag without a source.
        case file
    }

    /// Default: the app.
    public var subsystem: Subsystem
    /// Default: the tag.
    public var category: Category

    /// Creates a choice of subsystem and category.
    ///
    /// ```swift
    /// OSLogOutput(subsystem: "com.example.app", place: SystemLogPlace(subsystem: .module, category: .file))
    /// ```
    public init(subsystem: Subsystem = .app, category: Category = .tag) {
        self.subsystem = subsystem
        self.category = category
    }
}

/// Assigns each record a subsystem and category.
///
/// The system never frees a category, so a process gets a limited number; later ones become ``overflow``. A value: its
/// owner synchronizes access.
package struct SystemLogCategories: Sendable {
    package struct Entry: Sendable, Hashable {
        /// The module as subsystem; `nil` for the app's.
        package var module: String?
        package var category: String

        package init(module: String? = nil, category: String) {
            self.module = module
            self.category = category
        }
    }

    /// Many times more than a hand-written app has.
    package static let limit = 256
    package static let overflow = Entry(category: "other")

    private let place: SystemLogPlace
    private var known: Set<Entry> = []

    package init(by place: SystemLogPlace = SystemLogPlace()) { self.place = place }

    package mutating func entry(of record: Record) -> Entry {
        let entry = Entry(
            module: place.subsystem == .module ? record.module : nil,
            category: (place.category == .file ? Self.fileName(of: record) : nil) ?? Self.tagName(of: record))
        if known.contains(entry) { return entry }
        guard known.count < Self.limit else { return Self.overflow }
        known.insert(entry)
        return entry
    }

    private static func tagName(of record: Record) -> String {
        guard record.kind == .event, let dot = record.tag.lastIndex(of: "."), dot > record.tag.startIndex else {
            return record.tag
        }
        return String(record.tag[..<dot])
    }

    private static func fileName(of record: Record) -> String? {
        guard let name = record.file?.split(separator: "/").last else { return nil }
        return String(name.hasSuffix(".swift") ? name.dropLast(6) : name)
    }
}
