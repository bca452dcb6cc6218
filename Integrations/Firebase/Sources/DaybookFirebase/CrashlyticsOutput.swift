public import Daybook

/// What ``CrashlyticsOutput`` calls: Crashlytics has these methods as they are.
public protocol CrashReporter {
    func record(error: any Error)
    func log(_ line: String)
}

/// Sends errors to Crashlytics as non-fatal issues, and everything else as lines of the log that a crash report carries.
///
/// ```swift
/// import FirebaseCrashlytics
/// extension Crashlytics: @retroactive CrashReporter {}
///
/// Route("**", to: CrashlyticsOutput { Crashlytics.crashlytics() }, level: .warning, timing: .inline)
/// ```
///
/// Route it `.inline`, so that the line of what happened last is in the report of the crash that follows. Crashlytics keeps
/// the last 64 kB of lines and the last 8 errors of a session; a level of `warning` leaves room for what matters.
public struct CrashlyticsOutput: Output {
    public let id: String
    private let format: TextFormat
    private let reporter: @Sendable () -> any CrashReporter

    /// An output.
    /// - Parameters:
    ///   - id: Its name in ledgers; unique in a pipeline. Default: `crashlytics`.
    ///   - format: How a record becomes a line. Private columns are masked.
    ///   - reporter: Gives the reporter; called for each record, on the thread that logs.
    public init(
        id: String = "crashlytics", format: TextFormat = .line, _ reporter: @escaping @Sendable () -> any CrashReporter
    ) {
        self.id = id
        self.format = format
        self.reporter = reporter
    }

    public func write(_ record: Record) {
        if let error = record.error {
            reporter().record(error: error.nsError)
        } else {
            reporter().log(format.text(of: record))
        }
    }
}
