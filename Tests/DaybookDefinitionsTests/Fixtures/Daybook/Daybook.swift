// A stand-in for the part of the client library that generated code uses, to test the generator without it. Its
// signatures match the module `Daybook`; what it encodes is kept as text.
import Foundation

public enum Level: UInt8, Sendable { case info = 9 }

public enum Value: Sendable, Hashable { case string(String), int(Int64) }

public final class EventDescriptor: Sendable {
    public let tag: StaticString
    public let level: Level
    public let privateColumns: [String]
    public init(_ tag: StaticString, level: Level = .info, private privateColumns: [String] = []) {
        self.tag = tag
        self.level = level
        self.privateColumns = privateColumns
    }
}

public protocol LogEvent: Sendable {
    var descriptor: EventDescriptor { get }
    func encode(into fields: inout FieldEncoder)
}

public protocol LogContext: Sendable {
    static var privateColumns: [String] { get }
    func encode(into fields: inout FieldEncoder)
}

extension LogContext {
    public static var privateColumns: [String] { [] }
}

public protocol LogValue: Sendable { var logValue: Value { get } }

extension LogValue where Self: RawRepresentable, RawValue == String {
    public var logValue: Value { .string(rawValue) }
}

public struct FieldEncoder: ~Copyable {
    public private(set) var lines: [String] = []
    public init() {}

    public mutating func add(_ name: StaticString, _ value: Int64) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: Int32) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: Int16) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: Int) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: Double) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: Float) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: Bool) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: String) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: Date) { lines.append("\(name)=date") }
    public mutating func add(_ name: StaticString, _ value: Value) { lines.append("\(name)=\(value)") }
    public mutating func add(_ name: StaticString, _ value: some LogValue) { add(name, value.logValue) }
    public mutating func add(_ name: StaticString, _ value: String, limit: Int) {
        lines.append("\(name)=\(value)<\(limit)")
    }
    public mutating func add(_ name: StaticString, clamping value: Int) { add(name, Int32(clamping: value)) }
    public mutating func add(_ name: StaticString, clamping value: Int?) {
        if let value { add(name, clamping: value) }
    }
    public mutating func add(_ name: StaticString, rejecting value: Int?) {
        if let value { lines.append("\(name)=\(value)!") }
    }
    public mutating func add(_ name: StaticString, _ value: String?, rejectingOver limit: Int) {
        if let value { lines.append("\(name)=\(value)!\(limit)") }
    }
    public mutating func addDate(_ name: StaticString, _ value: Date) { lines.append("\(name)=day") }
    public mutating func addSensitive(_ name: StaticString, _ value: String) { lines.append("\(name)=hash") }

    public mutating func add(_ name: StaticString, _ value: Int64?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: Int32?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: Int16?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: Int?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: Double?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: Float?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: Bool?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: String?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: Date?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: (some LogValue)?) { if let value { add(name, value) } }
    public mutating func add(_ name: StaticString, _ value: String?, limit: Int) {
        if let value { add(name, value, limit: limit) }
    }
    public mutating func addDate(_ name: StaticString, _ value: Date?) { if let value { addDate(name, value) } }
    public mutating func addSensitive(_ name: StaticString, _ value: String?) {
        if let value { addSensitive(name, value) }
    }
}
