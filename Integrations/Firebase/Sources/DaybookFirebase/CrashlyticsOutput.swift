public import Daybook
import Foundation

/// What ``CrashlyticsOutput`` calls. Crashlytics has these methods, so the conformance is empty.
///
/// Source: `FIRCrashlytics.h` of https://github.com/firebase/firebase-ios-sdk
public protocol CrashReporter {
    /// Crashlytics' `ExceptionModel`.
    associatedtype Exception
    func record(error: any Error)
    func record(exceptionModel: Exception)
    func log(_ line: String)
    func setCustomKeysAndValues(_ keysAndValues: [AnyHashable: Any])
}

/// An error in a report: its name, reason and place.
public struct CrashIssue: Sendable, Hashable {
    /// A line of the stack.
    public struct Frame: Sendable, Hashable {
        /// `function(label:)`.
        public var symbol: String
        /// `Module/File.swift`.
        public var file: String
        /// From 1; 0 if unknown.
        public var line: Int
    }

    /// Domain and code, by which the console groups: `NetworkError 4000`.
    public var name: String
    /// The error's description and its causes.
    public var reason: String
    /// Where it was logged. Empty for a record without a source.
    public var frames: [Frame]

    /// `nil` for a record without an error.
    public init?(_ record: Record) {
        guard let error = record.error else { return nil }
        name = "\(error.domain) \(error.code)"
        reason = ([error.message] + error.causes.map { "caused by \($0.type): \($0.message)" })
            .joined(separator: "; ")
        frames =
            record.file.map {
                [Frame(symbol: record.function ?? record.tag, file: $0, line: record.line ?? 0)]
            } ?? []
    }
}

/// Sends errors to Crashlytics as non-fatal issues, and everything else as lines of the crash report's log.
///
/// ```swift
/// import FirebaseCrashlytics
/// extension Crashlytics: @retroactive CrashReporter {}
///
/// Route("**", to: CrashlyticsOutput { Crashlytics.crashlytics() }, level: .warning, timing: .inline)
/// ```
///
/// An error is recorded with its domain, code, causes, info, source location, tag and span. Route it `.inline`, so that
/// Crashlytics takes the stack trace of the code that logged the error, and the last line before a crash is in its
/// report. The records' shared `context` becomes Crashlytics' custom keys whenever it changes. Private columns are
/// masked. Crashlytics keeps a session's last 64 kB of lines and last 8 errors; the level `warning` leaves room for
/// what matters.
public struct CrashlyticsOutput<Reporter: CrashReporter>: Output {
    public let id: String
    private let format: TextFormat
    private let exception: (@Sendable (CrashIssue) -> Reporter.Exception)?
    private let reporter: @Sendable () -> Reporter
    private let keys = Locked(Attributes())

    /// Creates an output.
    /// - Parameters:
    ///   - id: Its name in ledgers; unique in a pipeline. Default: `crashlytics`.
    ///   - format: How a record becomes a line. Private columns are masked.
    ///   - exception: Makes Crashlytics' model of an error, for an `.immediate` route or errors of another language. The
    ///     report then has the issue's frames instead of the reporting thread's stack. Default: none; errors are
    ///     recorded as errors.
    ///   - reporter: Returns the reporter; called for each record on the thread that logs.
    public init(
        id: String = "crashlytics", format: TextFormat = .line,
        exception: (@Sendable (CrashIssue) -> Reporter.Exception)? = nil,
        _ reporter: @escaping @Sendable () -> Reporter
    ) {
        self.id = id
        self.format = format
        self.exception = exception
        self.reporter = reporter
    }

    public func write(_ record: Record) {
        let reporter = reporter()
        let record = record.masked
        let isNew = keys.withLock { keys in
            defer { keys = record.context }
            return keys != record.context
        }
        if isNew { reporter.setCustomKeysAndValues(record.context.foundation) }
        guard let error = record.error else { return reporter.log(format.text(of: record)) }
        if let exception, let issue = CrashIssue(record) {
            reporter.record(exceptionModel: exception(issue))
        } else {
            reporter.record(error: Self.error(error.nsError, of: record))
        }
    }

    /// The error with its record's place in its own `userInfo`. Keys of `record(error:userInfo:)` would apply to all
    /// later errors.
    private static func error(_ error: NSError, of record: Record) -> NSError {
        var info = error.userInfo
        info["daybook.tag"] = record.tag
        if let file = record.file { info["daybook.source"] = record.line.map { "\(file):\($0)" } ?? file }
        info["daybook.function"] = record.function
        info["daybook.trace"] = record.span?.traceID
        return NSError(domain: error.domain, code: error.code, userInfo: info)
    }
}
