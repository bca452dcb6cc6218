/// The distinct chains of a table's filters, each with a number that fits beside a route mask.
///
/// Patterns are prefixes, so there are few: the filters that match a tag are settled by the longest pattern's head it
/// begins with, and by whether it is that head, has one term more, or several. One example for each of these finds all
/// chains when the table is made, and no log call has to look for one.
struct FilterChains: Sendable {
    /// Number 0 leaves everything to the slow path; it serves any chain that has no number of its own.
    let chains: [FilterChain]
    private let numbers: [[Int]: UInt8]
    private let filters: [RoutingTable.CompiledFilter]

    init(_ filters: [RoutingTable.CompiledFilter]) {
        var chains = [FilterChain(rewriteFrom: 0)]
        var numbers: [[Int]: UInt8] = [:]
        for tag in filters.flatMap(\.pattern.examples) {
            let indices = Self.matching(tag, filters)
            guard numbers[indices] == nil, let number = UInt8(exactly: chains.count) else { continue }
            numbers[indices] = number
            chains.append(FilterChain(indices, of: filters))
        }
        (self.chains, self.numbers, self.filters) = (chains, numbers, filters)
    }

    /// The number of a tag's chain, or `nil` if no filter matches.
    func number(for tag: String) -> UInt8? {
        let indices = Self.matching(tag, filters)
        return indices.isEmpty ? nil : numbers[indices] ?? 0
    }

    private static func matching(_ tag: String, _ filters: [RoutingTable.CompiledFilter]) -> [Int] {
        filters.indices.filter { filters[$0].pattern.match(tag) != nil }
    }
}
