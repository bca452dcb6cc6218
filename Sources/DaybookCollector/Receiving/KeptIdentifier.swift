import DaybookBase
import DaybookTools

extension WireIdentifier.Reading {
    /// The lower-case digits for a record that keeps texts, or the attribute that keeps what is none.
    func text(_ identifier: WireIdentifier, _ attributes: inout Attributes) -> String? {
        switch self {
        case .absent: return nil
        case .bytes(let bytes): return bytes.withUnsafeBytes { identifier.text($0) }
        case .text(let text):
            attributes[identifier.attribute] = .string(text)
            return nil
        }
    }
}
