/// A defined event: what `daybook-definitions` generates from Markdown, one enum per category.
public protocol LogEvent: Sendable {
    /// The event's name and level; one static object per event.
    var descriptor: EventDescriptor { get }

    /// Writes the event's columns in the order of the definition.
    ///
    /// Called at most once per record, on the caller's thread, inside the journal's lock: it must not lock or wait, and
    /// what it logs is dropped.
    func encode(into fields: inout FieldEncoder)
}

/// The attributes common to all records at a time: what is generated from `common.md`.
public protocol LogContext: Sendable {
    /// The columns that are masked on screens and in files. Default: none.
    static var privateColumns: [String] { get }

    /// Writes the common columns.
    func encode(into fields: inout FieldEncoder)
}

extension LogContext {
    public static var privateColumns: [String] { [] }
}

/// A context without columns.
public struct EmptyContext: LogContext {
    /// No columns.
    public init() {}

    public func encode(into fields: inout FieldEncoder) {}
}

/// A team's own column type: anything that can say its value.
public protocol LogValue: Sendable {
    /// The value to record.
    var logValue: Value { get }
}

extension LogValue where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var logValue: Value { .string(rawValue) }
}

extension LogValue where Self: RawRepresentable, RawValue: BinaryInteger {
    /// The raw value; above `Int64.max` as a string.
    public var logValue: Value { Value(rawValue) }
}
