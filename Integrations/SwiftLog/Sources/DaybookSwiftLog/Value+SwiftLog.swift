import Daybook
import Logging

extension Value {
    /// A metadata value with its structure; numbers and Booleans keep their types.
    init(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .stringConvertible(let described): self.init(describing: described)
        case .array(let items): self = .array(items.map(Value.init))
        case .dictionary(let items):
            self = .object(Attributes(items.sorted { $0.key < $1.key }.map { ($0.key, Value($0.value)) }))
        }
    }
}
