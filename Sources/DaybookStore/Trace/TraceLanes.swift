/// Lays intervals out on lanes, so that on each lane any two are apart or one encloses the other: a viewer draws a lane as a
/// stack of calls.
///
/// Give them in the order of their starts, of equal starts the longest first. First fit: an interval goes to the first lane
/// where it fits, so that what is nested stands below what encloses it.
struct TraceLanes {
    /// Per lane the ends of what is open, the innermost last.
    private var open: [[Int64]] = []

    /// How many lanes there are.
    var count: Int { open.count }

    /// The lane of an interval, from 0.
    mutating func lane(start: Int64, end: Int64) -> Int {
        for lane in open.indices {
            while let last = open[lane].last, last <= start { open[lane].removeLast() }
            if let last = open[lane].last, last < end { continue }
            open[lane].append(end)
            return lane
        }
        open.append([end])
        return open.count - 1
    }
}
