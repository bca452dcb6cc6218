/// Sizes by which numbers are counted: from each bound, 1, 2 or 5 times a power of ten, up to the next one.
enum NumberBuckets {
    /// From 0.001 to 5 · 10¹⁵, of both signs, and 0.
    static let bounds: [Double] = {
        let positive = (-3...15).flatMap { power in [1.0, 2, 5].map { digit in Double("\(Int(digit))e\(power)") ?? 0 } }
        return positive.reversed().map { -$0 } + [0] + positive
    }()

    /// With the one of all smaller numbers.
    static let count = bounds.count + 1

    /// 0 for numbers below the first bound.
    static func place(of number: Double) -> Int {
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The smallest number of a bucket; `nil` for the first one, which has none.
    static func least(_ place: Int) -> Double? { place == 0 ? nil : bounds[place - 1] }

    /// What all numbers of a bucket are below; `nil` for the last one.
    static func end(_ place: Int) -> Double? { place < bounds.count ? bounds[place] : nil }
}
