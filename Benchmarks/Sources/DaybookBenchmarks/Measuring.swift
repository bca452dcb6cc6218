import CLimit

/// Time and allocations of work on this thread, per iteration.
struct Measurement {
    /// Wall time.
    var nanoseconds: Double
    /// The median of short stretches, without what else happens.
    var hot: Double
    var allocations: Double

    /// Measures `body`, which does the work `count` times.
    static func of(_ count: Int, stretch: Int = 20, _ body: (Int) -> Void) -> Measurement {
        let stretch = min(stretch, count)
        var times: [Double] = []
        times.reserveCapacity(count / stretch)
        let allocations = limit_allocations()
        let start = ContinuousClock.now
        var last = start
        for _ in 0..<count / stretch {
            body(stretch)
            let now = ContinuousClock.now
            times.append((now - last).nanoseconds / Double(stretch))
            last = now
        }
        let done = Double(times.count * stretch)
        return Measurement(
            nanoseconds: (last - start).nanoseconds / done, hot: times.median,
            allocations: Double(limit_allocations() - allocations) / done)
    }
}

extension Duration {
    var nanoseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    }

    var milliseconds: Double { nanoseconds / 1e6 }
}

extension [Double] {
    /// The value that `fraction` of them do not exceed; 0 if empty.
    func quantile(_ fraction: Double) -> Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
    }

    var median: Double { quantile(0.5) }
}

extension Double {
    func text(_ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let whole = Int64((self * scale).rounded())
        guard digits > 0 else { return "\(whole)" }
        let (front, back) = whole.quotientAndRemainder(dividingBy: Int64(scale))
        let fraction = "\(back.magnitude)"
        return "\(front)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

/// Prints a row of the second table, for figures other than the time of a call.
func printFigure(_ what: String, _ figure: String, target: String = "–", isMet: Bool? = nil) {
    print("| \(what) | \(figure) | \(target) | \(isMet.map { $0 ? "yes" : "**no**" } ?? "–") |")
}
