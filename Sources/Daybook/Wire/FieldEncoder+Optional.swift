import Foundation

extension FieldEncoder {
    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int64?) { if let value { add(name, value) } }

    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int32?) { if let value { add(name, value) } }

    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int16?) { if let value { add(name, value) } }

    /// Adds an integer; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Int?) { if let value { add(name, value) } }

    /// Adds a number; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Double?) { if let value { add(name, value) } }

    /// Adds a number; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Float?) { if let value { add(name, value) } }

    /// Adds a truth value; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Bool?) { if let value { add(name, value) } }

    /// Adds text; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?) { if let value { add(name, value) } }

    /// Adds text of at most `limit` UTF-8 bytes; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?, limit: Int) {
        if let value { add(name, value, limit: limit) }
    }

    /// Adds a team's own type; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: (some LogValue)?) { if let value { add(name, value) } }

    /// Adds the keyed hash of a text; nothing for `nil`.
    public mutating func addSensitive(_ name: StaticString, _ value: String?) {
        if let value { addSensitive(name, value) }
    }

    /// Adds a moment as an RFC 3339 string in UTC with milliseconds.
    public mutating func add(_ name: StaticString, _ value: Date) {
        add(name, Timestamp(value).rfc3339(fractionDigits: 3))
    }

    /// Adds a moment; nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: Date?) { if let value { add(name, value) } }

    /// Adds a day (`2026-11-20`), in UTC.
    public mutating func addDate(_ name: StaticString, _ value: Date) { add(name, Timestamp(value).day) }

    /// Adds a day; nothing for `nil`.
    public mutating func addDate(_ name: StaticString, _ value: Date?) { if let value { addDate(name, value) } }
}
