import Daybook
import Logging

extension Value {
    /// The value of metadata, with its structure; what is described by itself as a number or a truth value stays one.
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
