import DaybookBase
import DaybookTools

// Each name occurs once in a context. A record's attribute overrides the scope's, which overrides the resource's; the
// collector's own members override all.

/// A JSON object's serialized members, of which any can be left out.
struct JSONMembers: Sendable {
    /// Each with a leading comma.
    private var bytes: [UInt8] = []
    private var places: [String: Range<Int>] = [:]

    /// - Parameter elements: with unique names.
    init(_ elements: [Attributes.Element]) {
        places.reserveCapacity(elements.count)
        for index in elements.indices {
            let start = bytes.count
            bytes.append(UInt8(ascii: ","))
            JSONWriter.writeMembers(elements[index...index], into: &bytes)
            places[elements[index].key] = start..<bytes.count
        }
    }

    var object: String { "{" + String(decoding: bytes.dropFirst(), as: UTF8.self) + "}" }

    func has(_ name: String) -> Bool { places[name] != nil }

    func append(to json: inout JSONBytes, without names: Set<String>) {
        var start = 0
        for place in names.compactMap({ places[$0] }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            json.append(members: bytes[start..<place.lowerBound])
            start = place.upperBound
        }
        json.append(members: bytes[start...])
    }
}

/// The part of the context that a scope's records share.
struct SharedContext: Sendable {
    private let resource: JSONMembers
    private let scope: JSONMembers
    /// Names of the resource that the scope overrides.
    private let replaced: Set<String>
    /// The collector's own members, which no record overrides.
    private let fixed: Set<String>

    /// - Parameters:
    ///   - attributes: the scope's own.
    ///   - beside: what the scope carries outside them, under our names.
    ///   - unread: counts overridden members.
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

    func isFixed(_ name: String) -> Bool { fixed.contains(name) }

    /// - Parameter names: members that the record overrides.
    func append(to json: inout JSONBytes, without names: Set<String>) {
        resource.append(to: &json, without: names.isEmpty ? replaced : replaced.union(names))
        scope.append(to: &json, without: names)
    }
}
