// Declarations of just the API that DaybookApple uses, so that the compiler of any platform can check its code.
// Source: Apple's documentation of the framework `os`.
@_exported import Foundation

public struct OSLogType: RawRepresentable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
}

public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
    public static var `private`: OSLogPrivacy { OSLogPrivacy() }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(
        _ argument: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .private
    ) {}
}

public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringInterpolation: OSLogInterpolation) {}
    public init(stringLiteral value: String) {}
}

public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
}

public final class OSLog: NSObject, Sendable {
    public struct Category: Sendable {
        public static let pointsOfInterest = Category()
    }
    public init(subsystem: String, category: Category) {}
    public var signpostsEnabled: Bool { true }
}

public struct OSSignpostID: Sendable {
    public init(log: OSLog) {}
    // Source: https://developer.apple.com/documentation/os/ossignpostid
    public init(_ value: UInt64) {}
    public static let exclusive = OSSignpostID(0)
}

public struct OSSignpostType: Sendable {
    public static let begin = OSSignpostType()
    public static let end = OSSignpostType()
    // Source: https://developer.apple.com/documentation/os/ossignposttype
    public static let event = OSSignpostType()
}

public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID, _ format: StaticString, _ arguments: any CVarArg...
) {}

// Of Darwin, which Foundation brings along.
public struct mach_timebase_info_data_t {
    public var numer: UInt32 = 0
    public var denom: UInt32 = 0
    public init() {}
}

@discardableResult
public func mach_timebase_info(_ info: UnsafeMutablePointer<mach_timebase_info_data_t>) -> Int32 { 0 }
public func mach_absolute_time() -> UInt64 { 0 }
