// Source: https://developer.apple.com/documentation/os
@_exported import Foundation
@_exported import os_lock

// Source: https://developer.apple.com/documentation/os/oslogtype
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    public static let `default` = OSLogType(0x00)
    public static let info = OSLogType(0x01)
    public static let debug = OSLogType(0x02)
    public static let error = OSLogType(0x10)
    public static let fault = OSLogType(0x11)
}

// Source: https://developer.apple.com/documentation/os/oslogprivacy
public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
    public static var `private`: OSLogPrivacy { OSLogPrivacy() }
}

// Source: https://developer.apple.com/documentation/os/osloginterpolation
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .private
    ) {}
}

// Source: https://developer.apple.com/documentation/os/oslogmessage
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringInterpolation: OSLogInterpolation) {}
    public init(stringLiteral value: String) {}
}

// Source: https://developer.apple.com/documentation/os/logger
public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
}

// Source: https://developer.apple.com/documentation/os/oslog
open class OSLog: NSObject, @unchecked Sendable {
    // Source: https://developer.apple.com/documentation/os/oslog/category
    public struct Category: Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let pointsOfInterest = Category(rawValue: "")
    }
    public convenience init(subsystem: String, category: String) { self.init() }
    public convenience init(subsystem: String, category: Category) { self.init() }
    public var signpostsEnabled: Bool { true }
}

// Source: https://developer.apple.com/documentation/os/ossignpostid
public struct OSSignpostID: Comparable, Sendable {
    public let rawValue: UInt64
    public static let exclusive = OSSignpostID(log: OSLog())
    public init(log: OSLog) { rawValue = 0 }
    public init(_ value: UInt64) { rawValue = value }
    public static func < (a: OSSignpostID, b: OSSignpostID) -> Bool { false }
}

// Source: https://developer.apple.com/documentation/os/ossignposttype
public struct OSSignpostType: Hashable, Sendable {
    public static let event = OSSignpostType()
    public static let begin = OSSignpostType()
    public static let end = OSSignpostType()
}

// Source: https://developer.apple.com/documentation/os/os_signpost(_:dso:log:name:signpostid:_:_:)
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) {}
