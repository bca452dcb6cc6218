import Daybook
import DaybookBase
import Foundation

/// A monotonic clock that moves only by hand; wall time is the machine's.
final class HeldClock: Sendable {
    private let time = Mutex<UInt64>(1_000_000_000)

    var clock: PipelineClock {
        PipelineClock(wall: PipelineClock.system.wall, monotonic: { self.time.withLock { $0 } })
    }

    func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        time.withLock { $0 += UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000) }
    }
}

/// Options that discard reports.
func quietOptions(_ change: (inout PipelineOptions) -> Void = { _ in }) -> PipelineOptions {
    var options = PipelineOptions()
    options.report = { _ in }
    change(&options)
    return options
}

/// Limits no test reaches: only what a test asks for makes the pipeline send.
let neverByItself = BatchLimits(count: 1_000_000, bytes: 1_000_000_000, delay: .seconds(36_000))

extension Log {
    func number(_ numbers: some Sequence<Int>, padding: Int = 0) {
        for number in numbers {
            info("m", ["n": .int(Int64(number)), "padding": .string(String(repeating: "x", count: padding))])
        }
    }
}

extension [Record] {
    var numbers: [Int] {
        compactMap { record in if case .int(let number)? = record.attributes["n"] { Int(number) } else { nil } }
    }
}

extension Ledger {
    var lost: UInt64 { dropped.values.reduce(0, +) }
}
