import DaybookBase
import DaybookTools

// A context has each name once. What is nearer to the record counts: its own attribute over the scope's, the scope's over
// the resource's; and what the collector says of a resource or a scope counts over an attribute of that name.

/// The members of a JSON object, any of which can be left out.
struct JSONMembers: Sendable {
    /// Each with a comma before it.
    private var bytes: [UInt8] = []
    private var places: [String: Range<Int>] = [:]

    /// - Parameter elements: each name once.
    init(_ elements: [Attributes.Element]) {
        places.reserveCapacity(elements.count)
        for index in elements.indices {
            let start = bytes.count
            bytes.append(UInt8(ascii: ","))
            JSONWriter.writeMembers(elements[index...index], into: &bytes)
            places[elements[index].key] = start..<bytes.count
        }
    }

    /// The text of the whole object.
    var object: String { "{" + String(decoding: bytes.dropFirst(), as: UTF8.self) + "}" }

    func has(_ name: String) -> Bool { places[name] != nil }

    /// Appends the members to an object.
    func append(to json: inout JSONBytes, without names: Set<String>) {
        var start = 0
        for place in names.compactMap({ places[$0] }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            json.append(members: bytes[start..<place.lowerBound])
            start = place.upperBound
        }
        json.append(members: bytes[start...])
    }
}

/// What the contexts of a scope's records share.
struct SharedContext: Sendable {
    private let resource: JSONMembers
    private let scope: JSONMembers
    /// Those of the resource that the scope says otherwise.
    private let replaced: Set<String>
    /// What the collector says itself: no record's attribute replaces it.
    private let fixed: Set<String>

    /// - Parameters:
    ///   - attributes: the scope's own.
    ///   - beside: what the scope says beside them, under names of ours.
    ///   - unread: counts what is replaced.
    init(
        _ resource: SenderResource, _ attributes: [Attributes.Element], beside: [Attributes.Element],
        _ unread: inout Unread
    ) {
        self.resource = resource.members
        fixed = Set(resource.besideNames + beside.map(\.key))
        var members: [Attributes.Element] = []
        var repeated: [String] = []
        for element in attributes {
            if fixed.contains(element.key) { repeated.append(element.key) } else { members.append(element) }
        }
        members += beside
        let replaced = members.map(\.key).filter(resource.members.has)
        self.replaced = Set(replaced)
        unread.add(namesOf: repeated + replaced)
        scope = JSONMembers(members)
    }

    func has(_ name: String) -> Bool { scope.has(name) || resource.has(name) }

    /// Whether an attribute of this name gives way.
    func isFixed(_ name: String) -> Bool { fixed.contains(name) }

    /// Appends the members to an object.
    /// - Parameter names: what the record says itself.
    func append(to json: inout JSONBytes, without names: Set<String>) {
        resource.append(to: &json, without: names.isEmpty ? replaced : replaced.union(names))
        scope.append(to: &json, without: names)
    }
}
