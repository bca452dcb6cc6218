extension Collection {
    /// A stable sort, fast on nearly sorted input; not for hot paths. Compiled once for all types, where the standard
    /// library's sort adds 3 KB per sorted type.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    package func ordered(by isBefore: (Element, Element) -> Bool) -> [Element] {
        var elements = Array(self)
        // Starts of sorted runs. Neighbouring runs are merged until one is left.
        var starts = elements.indices.filter { $0 == 0 || isBefore(elements[$0], elements[$0 - 1]) }
        while starts.count > 1 {
            var merged: [Element] = []
            merged.reserveCapacity(elements.count)
            var longer: [Int] = []
            for run in stride(from: 0, to: starts.count, by: 2) {
                longer.append(merged.count)
                let middle = run + 1 < starts.count ? starts[run + 1] : elements.count
                let end = run + 2 < starts.count ? starts[run + 2] : elements.count
                var (left, right) = (starts[run], middle)
                while left < middle || right < end {
                    if right == end || left < middle && !isBefore(elements[right], elements[left]) {
                        merged.append(elements[left])
                        left += 1
                    } else {
                        merged.append(elements[right])
                        right += 1
                    }
                }
            }
            (elements, starts) = (merged, longer)
        }
        return elements
    }
}

extension Collection<String> {
    package func ordered() -> [String] { ordered(by: <) }
}
