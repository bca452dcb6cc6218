#if canImport(os)
    import Daybook
    import Synchronization
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
