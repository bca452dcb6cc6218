#if canImport(OSLog)
    import Daybook
    import Foundation
    import OSLog

    /// Reads what this process has written to the system's log, by `os_log`, `Logger` or a framework, as records.
    ///
    /// ```swift
    /// for try await record in SystemLogImport(except: ["com.example.app"]).records(since: launch) {
    ///     Log("system").forward(record)
    /// }
    /// ```
    public struct SystemLogImport: Sendable {
        private let excluded: Set<String>

        /// - Parameter subsystems: Not these; name the one of ``OSLogOutput``, or its lines come back as records.
        public init(except subsystems: Set<String>) { excluded = subsystems }

        /// The lines since a moment, oldest first. The stream throws what the system says when it does not let the log be
        /// read. Read on a thread of its own: the system's log is slow.
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
