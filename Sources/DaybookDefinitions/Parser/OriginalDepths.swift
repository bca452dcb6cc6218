extension [Column.Detail] {
    /// How deep the original format sees each item, from 1.
    ///
    /// Its Markdown parser takes up to four spaces from every line below an item, so that two steps of two spaces are
    /// one level. Ours follows what the eye sees; only the dump needs theirs.
    var originalDepths: [Int] {
        var depths = [Int](repeating: 1, count: count)
        assign(1, to: indices, rests: map { Swift.max(0, $0.indent - 4) }, in: &depths)
        return depths
    }

    private func assign(_ depth: Int, to range: Range<Int>, rests: [Int], in depths: inout [Int]) {
        guard let first = range.first else { return }
        let sibling = Swift.min(4, rests[first])
        var start = first
        while start < range.upperBound {
            depths[start] = depth
            let end =
                depth == ListScanner.greatestDepth
                ? start + 1 : range[(start + 1)...].first { Swift.min(4, rests[$0]) == sibling } ?? range.upperBound
            if end > start + 1 {
                let inner = rests[(start + 1)..<end].map { Swift.max(0, $0 - 4) }
                let slice = Array(self[(start + 1)..<end])
                var below = [Int](repeating: 1, count: slice.count)
                slice.assign(depth + 1, to: slice.indices, rests: inner, in: &below)
                depths.replaceSubrange((start + 1)..<end, with: below)
            }
            start = end
        }
    }
}
