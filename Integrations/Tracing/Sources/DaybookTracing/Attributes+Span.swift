import Daybook
import Tracing

extension Attributes {
    /// A span's attributes, sorted by name.
    init(_ attributes: SpanAttributes) {
        var all: [(String, Value)] = []
        attributes.forEach { name, value in all.append((name, Value(value))) }
        self.init(all.sorted { $0.0 < $1.0 })
    }
}

extension Value {
    fileprivate init(_ attribute: SpanAttribute) {
        switch attribute {
        case .int32(let number): self = .int(Int64(number))
        case .int64(let number): self = .int(number)
        case .double(let number): self = Value(number)
        case .bool(let flag): self = .bool(flag)
        case .string(let text): self = .string(text)
        case .stringConvertible(let described): self = .string(described.description)
        case .int32Array(let numbers): self = .array(numbers.map { .int(Int64($0)) })
        case .int64Array(let numbers): self = .array(numbers.map { .int($0) })
        case .doubleArray(let numbers): self = .array(numbers.map { Value($0) })
        case .boolArray(let flags): self = .array(flags.map { .bool($0) })
        case .stringArray(let texts): self = .array(texts.map { .string($0) })
        case .stringConvertibleArray(let all): self = .array(all.map { .string($0.description) })
        default: self = .string("\(attribute)")
        }
    }
}
