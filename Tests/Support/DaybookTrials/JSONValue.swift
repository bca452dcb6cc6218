import DaybookBase

/// JSON as a test reads it: `answer["records"][0]["tag"] == "a.b"`. What is not there is `nil`, at any depth.
extension Value {
    /// Reads a text.
    /// - Throws: Why it is not JSON.
    package init(json text: String) throws { self = try JSONReader.value(of: Array(text.utf8)) }

    package subscript(name: String) -> Value? { if case .object(let members) = self { members[name] } else { nil } }

    package subscript(place: Int) -> Value? {
        if let list, list.indices.contains(place) { list[place] } else { nil }
    }

    package var list: [Value]? { if case .array(let elements) = self { elements } else { nil } }

    package var members: [String: Value]? {
        guard case .object(let members) = self else { return nil }
        return Dictionary(members.elements.map { ($0.key, $0.value) }) { $1 }
    }

    package var int: Int? { if case .int(let number) = self { Int(number) } else { nil } }
}

extension Value? {
    package subscript(name: String) -> Value? { self?[name] }
    package subscript(place: Int) -> Value? { self?[place] }
    package var list: [Value]? { self?.list }
    package var members: [String: Value]? { self?.members }
    package var int: Int? { self?.int }
    package var text: String? { self?.text }
}
