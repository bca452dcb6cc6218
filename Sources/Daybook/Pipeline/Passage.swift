/// What has been decided of a record before it is encoded: where it goes, and by which filters. A trivial value, so that a
/// log call counts no references.
struct Passage {
    /// As the routing table gave it; `filtered` says that `chain` and `weight` have a meaning.
    let mask: RouteMask
    let chain: UInt8
    /// How many records it stands for.
    let weight: Double

    init(mask: RouteMask, chain: UInt8 = 0, weight: Double = 1) {
        self.mask = mask
        self.chain = chain
        self.weight = weight
    }

    /// Writes what the chain adds. The table by its address, since a closure that holds on to it counts a reference.
    @inline(never)
    func encode(into fields: inout FieldEncoder, _ table: Unmanaged<RoutingTable>) {
        table._withUnsafeGuaranteedRef { $0.chain(chain).encode(weight: weight, into: &fields) }
    }
}
