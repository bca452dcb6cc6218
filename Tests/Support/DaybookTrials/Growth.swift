#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How much more processor's time a work takes on an input of four times the size: about 4 where it is linear, 16 where it is
/// quadratic. The time of this thread alone counts, and the best of a few runs, so that other load does not.
package func growth(from size: Int, of work: (_ size: Int) throws -> Void) rethrows -> Double {
    func best(_ size: Int) throws -> Duration {
        try (0..<3).map { _ in
            let start = threadTime()
            try work(size)
            return threadTime() - start
        }.min() ?? .zero
    }
    // What takes next to no time says nothing.
    return try best(4 * size) / max(best(size), .milliseconds(2))
}

/// A text of lines that is at least so many bytes long.
package func lines(_ size: Int, _ line: (_ number: Int) -> String) -> String {
    var (text, number) = ("", 0)
    while text.utf8.count < size {
        text += line(number)
        number += 1
    }
    return text
}

/// How long this thread has computed: other work on the machine does not count.
package func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
