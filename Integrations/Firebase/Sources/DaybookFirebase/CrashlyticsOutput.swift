public import Daybook
import Foundation

/// What ``CrashlyticsOutput`` calls: Crashlytics has these methods as they are, so that the conformance is an empty line.
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

/// An error as a report shows it: its name, why, and where.
public struct CrashIssue: Sendable, Hashable {
    /// One line of the stack.
    public struct Frame: Sendable, Hashable {
        /// `function(label:)`.
        public var symbol: String
        /// `Module/File.swift`.
        public var file: String
        /// From 1; 0 where it is not known.
        public var line: Int
    }

    /// Domain and code, by which the console groups: `NetworkError 4000`.
    public var name: String
    /// What the error says of itself, and what led to it.
    public var reason: String
    /// Where it was logged. Empty for a record without a source.
    public var frames: [Frame]

    /// The issue of a record; `nil` for one that tells of no error.
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

/// Sends errors to Crashlytics as non-fatal issues, and everything else as lines of the log that a crash report carries.
///
/// ```swift
/// import FirebaseCrashlytics
/// extension Crashlytics: @retroactive CrashReporter {}
///
/// Route("**", to: CrashlyticsOutput { Crashlytics.crashlytics() }, level: .warning, timing: .inline)
/// ```
///
/// An error is recorded with its domain, its code, its causes and its own info; the place where it was logged, its tag and
/// its span go along. Route it `.inline`: the stack trace that Crashlytics takes is then that of the code that logged the
/// error, and the line of what happened last is in the report of the crash that follows. What all records have in common
/// (`context`) becomes Crashlytics' custom keys, when it changes. Private columns are masked. Crashlytics keeps the last
/// 64 kB of lines and the last 8 errors of a session; a level of `warning` leaves room for what matters.
public struct CrashlyticsOutput<Reporter: CrashReporter>: Output {
    public let id: String
    private let format: TextFormat
    private let exception: (@Sendable (CrashIssue) -> Reporter.Exception)?
    private let reporter: @Sendable () -> Reporter
    private let keys = Locked(Attributes())

    /// An output.
    /// - Parameters:
    ///   - id: Its name in ledgers; unique in a pipeline. Default: `crashlytics`.
    ///   - format: How a record becomes a line. Private columns are masked.
    ///   - exception: Makes Crashlytics' model of an error, for a route that is `.immediate`, or errors of another language:
    ///     the report then has the frames of the issue in place of the stack of the thread that reports. Default: none;
    ///     errors are recorded as errors.
    ///   - reporter: Gives the reporter; called for each record, on the thread that logs.
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

    /// The error with the place of its record: keys of this error alone. (Those of `record(error:userInfo:)` would stay for
    /// all that follow.)
    private static func error(_ error: NSError, of record: Record) -> NSError {
        var info = error.userInfo
        info["daybook.tag"] = record.tag
        if let file = record.file { info["daybook.source"] = record.line.map { "\(file):\($0)" } ?? file }
        info["daybook.function"] = record.function
        info["daybook.trace"] = record.span?.traceID
        return NSError(domain: error.domain, code: error.code, userInfo: info)
    }
}
