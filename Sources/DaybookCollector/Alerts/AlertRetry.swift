/// When a notice that was not taken is tried again (pure): full jitter from 1 s up to 5 min, for a day.
///
/// Source: M. Brooker, *Exponential Backoff and Jitter*, AWS Architecture Blog, 2015.
enum AlertRetry {
    /// For how long a notice is worth telling, in nanoseconds.
    static let lifetime: Int64 = 86_400_000_000_000

    /// Nanoseconds to wait after so many attempts.
    /// - Parameter jitter: a random number in 0..<1.
    static func delay(attempts: Int, jitter: Double) -> Int64 {
        let ceiling = min(300, Double(Int64(1) << min(max(attempts - 1, 0), 20)))
        return Int64(ceiling * jitter * 1e9)
    }
}
