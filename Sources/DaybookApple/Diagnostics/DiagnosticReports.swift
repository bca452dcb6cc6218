#if canImport(MetricKit)
    import Daybook
    import DaybookBase
    import Foundation
    import MetricKit

    #if canImport(UIKit)
        import UIKit
    #else
        import AppKit
    #endif

    /// Records MetricKit's reports of crashes, hangs, excessive CPU time and disk writes, and slow launches. Each
    /// record names the session of its launch.
    ///
    /// Keep it as long as the pipeline:
    ///
    /// ```swift
    /// let reports = DiagnosticReports(pipeline, directory: folder)
    /// ```
    ///
    /// The system delivers a crash at the next launch. Tags are `diagnostic.crash`, `diagnostic.hang`,
    /// `diagnostic.cpu`, `diagnostic.disk_write` and `diagnostic.launch`. Safe to share between threads.
    public final class DiagnosticReports: NSObject, MXMetricManagerSubscriber, Sendable {
        private let log: Log
        private let session: @Sendable () -> String
        private let file: URL
        private let history: Mutex<LaunchHistory>
        private let activations = Mutex<NotificationToken?>(nil)

        /// Subscribes to the system's reports, and notes this launch.
        ///
        /// ```swift
        /// let reports = DiagnosticReports(pipeline, directory: folder)    // keep it as long as the pipeline
        /// ```
        /// - Parameters:
        ///   - pipeline: Where the records go; retained.
        ///   - directory: Where `launches.json` is kept, a few kilobytes about the last 32 launches: a folder of this
        ///     process alone, such as the pipeline's.
        public init(_ pipeline: Pipeline<some LogContext>, directory: URL) {
            log = pipeline.log("diagnostic")
            session = { pipeline.sessionID }
            file = directory.appending(path: "launches.json")
            var history = LaunchHistory((try? Data(contentsOf: file)).map { [UInt8]($0) } ?? [])
            history.begin(
                LaunchHistory.Launch(
                    processID: Int64(ProcessInfo.processInfo.processIdentifier),
                    build: Bundle.main.infoDictionary?["CFBundleVersion"] as? String,
                    session: LaunchHistory.Place(session: pipeline.sessionID, began: Timestamp(.now).nanoseconds)))
            self.history = Mutex(history)
            super.init()
            save(history)
            observeSessions()
            MXMetricManager.shared.add(self)
        }

        deinit { MXMetricManager.shared.remove(self) }

        public func didReceive(_ payloads: [MXDiagnosticPayload]) {
            noteSession()
            let history = history.withLock { $0 }
            for payload in payloads {
                let begin = Timestamp(payload.timeStampBegin).nanoseconds
                let end = max(begin, Timestamp(payload.timeStampEnd).nanoseconds)
                for diagnostic in SystemDiagnostic.all(in: [UInt8](payload.jsonRepresentation())) {
                    let launch = history.place(of: diagnostic, begin: begin, end: end)
                    log.forward(diagnostic.record(begin: begin, end: end, launch: launch))
                }
            }
        }

        /// A new session begins when the app returns after a long time.
        private func observeSessions() {
            #if canImport(UIKit)
                let name = UIApplication.didBecomeActiveNotification
            #else
                let name = NSApplication.didBecomeActiveNotification
            #endif
            let token = NotificationToken(name, queue: .main) { [weak self] in self?.noteSession() }
            activations.withLock { $0 = token }
        }

        private func noteSession() {
            let place = LaunchHistory.Place(session: session(), began: Timestamp(.now).nanoseconds)
            let changed = history.withLock { $0.note(place) ? $0 : nil }
            if let changed { save(changed) }
        }

        /// A failed write only costs later reports their launch.
        private func save(_ history: LaunchHistory) { try? Data(history.bytes).write(to: file, options: .atomic) }
    }
#endif
