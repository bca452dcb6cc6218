#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How much more processor time `work` takes on four times the input: about 4 if linear, 16 if quadratic. Only this
/// thread's time counts, and the best of a few runs, so that other load does not; once it is no more than 6, another run
/// of the larger input would only lower it.
package func growth(from size: Int, of work: (_ size: Int) throws -> Void) rethrows -> Double {
    func time(_ size: Int) throws -> Duration {
        let start = threadTime()
        try work(size)
        return threadTime() - start
    }
    // Very short times say nothing.
    let short = max(try (0..<3).map { _ in try time(size) }.min() ?? .zero, .milliseconds(2))
    var factor = Double.infinity
    for _ in 0..<3 where factor > 6 { factor = min(factor, try time(4 * size) / short) }
    return factor
}

/// A text of lines, at least `size` bytes long.
package func lines(_ size: Int, _ line: (_ number: Int) -> String) -> String {
    var (text, number) = ("", 0)
    while text.utf8.count < size {
        text += line(number)
        number += 1
    }
    return text
}

/// This thread's processor time; other load does not count.
package func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
