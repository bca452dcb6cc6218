// Source: https://developer.apple.com/documentation/dispatch
@_exported import ObjectiveC

// Source: https://developer.apple.com/documentation/dispatch/dispatchobject
open class DispatchObject: NSObject, @unchecked Sendable {}

// Source: https://developer.apple.com/documentation/dispatch/dispatchqos
public struct DispatchQoS: Equatable, Sendable {
    public static let background = DispatchQoS()
    public static let utility = DispatchQoS()
    public static let `default` = DispatchQoS()
    public static let userInitiated = DispatchQoS()
    public static let unspecified = DispatchQoS()
    // Source: https://developer.apple.com/documentation/dispatch/dispatchqos/qosclass
    public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, unspecified }
}

// Source: https://developer.apple.com/documentation/dispatch/dispatchqueue
public class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let concurrent = Attributes(rawValue: 1)
    }
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
    public class var main: DispatchQueue { fatalError() }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) { self.init() }
    @preconcurrency public func async(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    @preconcurrency public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
}

// Source: https://developer.apple.com/documentation/dispatch/dispatchworkitemflags
public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let barrier = DispatchWorkItemFlags(rawValue: 1)
}

// Source: https://developer.apple.com/documentation/dispatch/dispatchgroup
public class DispatchGroup: DispatchObject, @unchecked Sendable {
    public func enter() {}
    public func leave() {}
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}

// Source: https://developer.apple.com/documentation/dispatch/dispatchsemaphore
public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public convenience init(value: Int) { self.init() }
    @discardableResult public func signal() -> Int { 0 }
    @available(*, noasync, message: "Await a Task handle instead") public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}

// Source: https://developer.apple.com/documentation/dispatch/dispatchtimeoutresult
public enum DispatchTimeoutResult: Sendable { case success, timedOut }

// Source: https://developer.apple.com/documentation/dispatch/dispatchtime
public struct DispatchTime: Comparable, Sendable {
    public static func now() -> DispatchTime { DispatchTime() }
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool { false }
}

// Source: https://developer.apple.com/documentation/dispatch/dispatchtimeinterval
public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }

// Source: https://developer.apple.com/documentation/dispatch/dispatchsource
public protocol DispatchSourceProtocol: NSObjectProtocol {
    func setEventHandler(handler: (@Sendable () -> Void)?)
    func resume()
    func cancel()
}
public protocol DispatchSourceTimer: DispatchSourceProtocol {}
public protocol DispatchSourceSignal: DispatchSourceProtocol {}
public protocol DispatchSourceRead: DispatchSourceProtocol {}
extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {}
}
public class DispatchSource: DispatchObject, @unchecked Sendable {
    public class func makeTimerSource(queue: DispatchQueue? = nil) -> any DispatchSourceTimer { fatalError() }
    public class func makeReadSource(
        fileDescriptor: Int32, queue: DispatchQueue? = nil
    ) -> any DispatchSourceRead { fatalError() }
    public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal {
        fatalError()
    }
}
