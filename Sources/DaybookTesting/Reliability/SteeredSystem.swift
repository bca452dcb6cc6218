import DaybookJournal
import Synchronization

/// Clocks and randomness that a test steers. Safe to share.
package final class SteeredSystem: Sendable {
    private let state = Mutex((now: UInt64(1_000_000_000_000), random: UInt64(0x9e37_79b9_7f4a_7c15)))

    package init(seed: UInt64 = 1) {
        state.withLock { $0.random &+= seed &* 0xbf58_476d_1ce4_e5b9 }
    }

    package func advance(_ seconds: Double) {
        state.withLock { $0.now += UInt64(seconds * 1_000_000_000) }
    }

    package var now: UInt64 { state.withLock { $0.now } }

    private func next() -> UInt64 {
        state.withLock { state in
            state.random ^= state.random << 13
            state.random ^= state.random >> 7
            state.random ^= state.random << 17
            return state.random
        }
    }

    package func system(files: any JournalFileSystem = PosixFileSystem(), boot: UInt64 = 1) -> JournalSystem {
        JournalSystem(
            files: files, monotonicNanoseconds: { self.now }, wallNanoseconds: { self.now },
            random: { self.next() }, boot: JournalID(high: 0, low: boot))
    }
}
