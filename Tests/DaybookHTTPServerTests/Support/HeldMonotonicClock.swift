import DaybookBase

@testable import DaybookHTTPServer

/// A clock that moves only by hand.
final class HeldMonotonicClock: Sendable {
    private let nanoseconds = Mutex<UInt64>(1_000_000_000_000)

    var monotonic: MonotonicClock {
        MonotonicClock { self.nanoseconds.withLock { $0 } }
    }

    func advance(seconds: UInt64) {
        nanoseconds.withLock { $0 += seconds * 1_000_000_000 }
    }
}
