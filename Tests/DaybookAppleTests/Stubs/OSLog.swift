// Source: https://developer.apple.com/documentation/oslog
@_exported import Foundation
@_exported import os

// Source: https://developer.apple.com/documentation/oslog/oslogposition
open class OSLogPosition: NSObject {}

// Source: https://developer.apple.com/documentation/oslog/oslogentry
open class OSLogEntry: NSObject {
    open var date: Date { Date() }
    open var composedMessage: String { "" }
}

// Source: https://developer.apple.com/documentation/oslog/oslogentrylog
open class OSLogEntryLog: OSLogEntry {
    public enum Level: Int, Sendable { case undefined, debug, info, notice, error, fault }
    open var level: Level { .undefined }
    open var subsystem: String { "" }
    open var category: String { "" }
    open var sender: String { "" }
}

// Source: https://developer.apple.com/documentation/oslog/oslogstore
open class OSLogStore: NSObject {
    public enum Scope: Int, Sendable {
        case currentProcessIdentifier = 1
    }
    public convenience init(scope: Scope) throws { self.init() }
    public func position(date: Date) -> OSLogPosition { OSLogPosition() }
    public func getEntries(
        with options: OSLogEnumerator.Options = [], at position: OSLogPosition? = nil,
        matching predicate: NSPredicate? = nil
    ) throws -> AnySequence<OSLogEntry> { AnySequence([]) }
}

// Source: https://developer.apple.com/documentation/oslog/oslogenumerator
open class OSLogEnumerator: NSObject {
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let reverse = Options(rawValue: 1)
    }
}
