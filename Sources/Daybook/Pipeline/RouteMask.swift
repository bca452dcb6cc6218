/// The outputs that take a record, one bit each, and what else the routing table knows of its tag and level.
struct RouteMask: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    /// No pattern matches the tag at any level.
    static let unrouted = RouteMask(rawValue: 1 << 31)
    /// A filter matches the tag.
    static let filtered = RouteMask(rawValue: 1 << 30)

    static let maximumOutputs = 30

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(output index: Int) { rawValue = 1 << UInt32(index) }

    /// The outputs' bits alone.
    var outputs: RouteMask { subtracting([.unrouted, .filtered]) }
}
