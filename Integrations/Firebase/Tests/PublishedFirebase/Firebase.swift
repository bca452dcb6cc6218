// The methods of Firebase's classes that the outputs call, as Swift imports their published headers. They record calls.
public import Foundation

public final class Calls: @unchecked Sendable {
    // Sound to share: the lock guards the lines.
    private let lock = NSLock()
    private var noted: [String] = []

    public init() {}

    public var lines: [String] { lock.withLock { noted } }
    public func note(_ line: String) { lock.withLock { noted.append(line) } }
}

// Source: https://github.com/firebase/firebase-ios-sdk, Crashlytics/Crashlytics/Public/FirebaseCrashlytics/FIRCrashlytics.h
open class Crashlytics: NSObject {
    private let calls: Calls
    public init(_ calls: Calls) { self.calls = calls }

    open class func crashlytics() -> Crashlytics { Crashlytics(Calls()) }

    open func log(_ msg: String) { calls.note("log \(msg)") }

    open func setCustomValue(_ value: Any?, forKey key: String) { calls.note("key \(key)") }

    open func setCustomKeysAndValues(_ keysAndValues: [AnyHashable: Any]) {
        calls.note("keys " + keysAndValues.keys.map { "\($0)" }.sorted().joined(separator: " "))
    }

    open func setUserID(_ userID: String?) { calls.note("user") }

    open func record(error: any Error) { note(error as NSError) }

    open func record(error: any Error, userInfo: [String: Any]?) { note(error as NSError) }

    open func record(exceptionModel: ExceptionModel) {
        let frames = exceptionModel.stackTrace.map { "\($0.symbol) \($0.file):\($0.line)" }
        calls.note("exception \(exceptionModel.name): \(exceptionModel.reason) at \(frames)")
    }

    private func note(_ error: NSError) {
        let cause = (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code
        let keys = error.userInfo.keys.filter { $0.hasPrefix("daybook") }.sorted()
        calls.note(
            "error \(error.domain) \(error.code) \(error.localizedDescription) cause "
                + "\(cause.map(String.init) ?? "none") \(keys)")
    }
}

// Source: the same folder, FIRExceptionModel.h
open class ExceptionModel: NSObject {
    fileprivate let name: String
    fileprivate let reason: String
    open var stackTrace: [StackFrame] = []

    public init(name: String, reason: String) {
        (self.name, self.reason) = (name, reason)
    }
}

// Source: the same folder, FIRStackFrame.h
open class StackFrame: NSObject {
    fileprivate let symbol: String
    fileprivate let file: String
    fileprivate let line: Int

    public init(symbol: String, file: String, line: Int) {
        (self.symbol, self.file, self.line) = (symbol, file, line)
    }
}

// Source: https://github.com/firebase/firebase-ios-sdk, FirebasePerformance/Sources/Public/FirebasePerformance/FIRTrace.h
// and FIRPerformanceAttributable.h
open class Trace: NSObject {
    private let calls: Calls
    public let name: String
    public init(name: String, _ calls: Calls) {
        (self.name, self.calls) = (name, calls)
        calls.note("start \(name)")
    }

    open func start() {}
    open func stop() { calls.note("stop \(name)") }
    open func incrementMetric(_ metricName: String, by incrementValue: Int64) {}
    open func setValue(_ value: Int64, forMetric metricName: String) { calls.note("metric \(metricName)=\(value)") }
    open func setValue(_ value: String, forAttribute attribute: String) {
        calls.note("attribute \(attribute)=\(value)")
    }
}

// Source: the same folder, FIRPerformance.h
open class Performance: NSObject {
    open class func startTrace(name: String) -> Trace? { Trace(name: name, Calls()) }
}

// Source: https://firebase.google.com/docs/reference/swift/firebaseanalytics/api/reference/Classes/Analytics
open class Analytics: NSObject {
    open class func logEvent(_ name: String, parameters: [String: Any]?) {}
}
