extension Batch {
    /// The batch as a route's transform makes it, and the places in the journal of the records that it drops. It settles
    /// the same numbers.
    func transformed(by transform: RouteTransform) -> (batch: Batch, dropped: [UInt64]) {
        var result = self
        var dropped: [UInt64] = []
        result.items = []
        result.payload = []
        for item in items {
            // What cannot be read is sent as it is: the receiver decides.
            guard let record = record(of: item) else {
                result.append(Array(payload[item.range]), as: item)
                continue
            }
            var changed: Record?
            CallScope.filter.run { changed = transform.transformed(record) }
            guard let changed else {
                dropped.append(item.position)
                continue
            }
            result.append(RecordEncoder.bytes(of: changed), as: item)
        }
        return (result, dropped)
    }

    private mutating func append(_ bytes: [UInt8], as item: Item) {
        let start = payload.count
        payload.append(contentsOf: bytes)
        var item = item
        item.range = start..<payload.count
        items.append(item)
    }
}
