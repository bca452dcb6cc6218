import Daybook

#if canImport(OSLog)
    import Daybook
    import Foundation
    import OSLog

    /// Reads this process's lines of the system log, from `os_log`, `Logger` or a framework, as records.
    ///
    /// ```swift
    /// for try await record in SystemLogImport(except: ["com.example.app"]).records(since: launch) {
    ///     Log("system").forward(record)
    /// }
    /// ```
    public struct SystemLogImport: Sendable {
        private let excluded: Set<String>

        /// Creates an import.
        ///
        /// ```swift
        /// let systemLog = SystemLogImport(except: ["com.example.app"])
        /// ```
        public init(except subsystems: Set<String>) { excluded = subsystems }

        /// The lines since a date, oldest first, read in a task of its own because the log is slow. Throws the system's
        /// error if the log may not be read.
        public func records(since date: Date) -> AsyncThrowingStream<Record, any Error> {
            AsyncThrowingStream { continuation in
                let reader = Task.detached(priority: .utility) { [excluded] in
                    do {
                        let store = try OSLogStore(scope: .currentProcessIdentifier)
                        for case let line as OSLogEntryLog in try store.getEntries(at: store.position(date: date)) {
                            if Task.isCancelled { break }
                            if !excluded.contains(line.subsystem) { continuation.yield(SystemLogEntry(line).record) }
                        }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in reader.cancel() }
            }
        }
    }

    extension SystemLogEntry {
        fileprivate init(_ line: OSLogEntryLog) {
            let type: SystemLogType =
                switch line.level {
                case .debug: .debug
                case .info: .info
                case .error: .error
                case .fault: .fault
                default: .standard
                }
            self.init(
                time: Timestamp(line.date).nanoseconds, level: type.importedLevel, subsystem: line.subsystem,
                category: line.category, sender: line.sender, text: line.composedMessage)
        }
    }
#endif

package struct SystemLogEntry: Sendable, Hashable {
    /// Nanoseconds since 1970.
    package var time: Int64
    package var level: Level
    package var subsystem: String
    package var category: String
    /// The framework or program that wrote it.
    package var sender: String
    package var text: String

    package init(time: Int64, level: Level, subsystem: String, category: String, sender: String, text: String) {
        self.time = time
        self.level = level
        self.subsystem = subsystem
        self.category = category
        self.sender = sender
        self.text = text
    }

    /// A message with the tag `system.` and the subsystem, or the sender without one.
    package var record: Record {
        Record(
            time: time, kind: .message, level: level, tag: "system." + (subsystem.isEmpty ? sender : subsystem),
            message: text, attributes: ["oslog.category": .string(category), "oslog.sender": .string(sender)])
    }
}
