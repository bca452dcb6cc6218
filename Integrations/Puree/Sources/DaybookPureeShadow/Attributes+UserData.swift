import Daybook
import Foundation

extension Attributes {
    /// The members of a JSON object by name; other data as bytes.
    init(userData: Data) {
        if let fields = try? JSONDecoder().decode([String: UserValue].self, from: userData) {
            self.init(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value) })
        } else {
            self = ["user_data": .bytes([UInt8](userData))]
        }
    }
}

/// A JSON value, with its type.
private struct UserValue: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let int = try? container.decode(Int64.self) {
            value = .int(int)
        } else if let double = try? container.decode(Double.self) {
            value = .double(double)
        } else if let string = try? container.decode(String.self) {
            value = .string(string)
        } else if let items = try? container.decode([UserValue].self) {
            value = .array(items.map(\.value))
        } else {
            let fields = try container.decode([String: UserValue].self)
            value = .object(Attributes(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value) }))
        }
    }
}
