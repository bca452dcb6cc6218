// Source: Apple's documentation of the framework `OSLog`.
@_exported import Foundation

public class OSLogPosition: NSObject {}

public class OSLogEntry: NSObject {
    public var date: Date { Date() }
    public var composedMessage: String { "" }
}

public class OSLogEntryLog: OSLogEntry {
    public enum Level: Int { case undefined, debug, info, notice, error, fault }
    public var level: Level { .undefined }
    public var subsystem: String { "" }
    public var category: String { "" }
    public var sender: String { "" }
}

public class OSLogStore: NSObject {
    public enum Scope: Int { case system, currentProcessIdentifier }
    public init(scope: Scope) throws {}
    public func position(date: Date) -> OSLogPosition { OSLogPosition() }
    public func getEntries(
        with options: [Int] = [], at position: OSLogPosition? = nil, matching predicate: NSPredicate? = nil
    ) throws -> AnySequence<OSLogEntry> { AnySequence([]) }
}
