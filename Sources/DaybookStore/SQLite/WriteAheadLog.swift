import DaybookBase
import Foundation

/// The write-ahead log beside a store's file.
///
/// A reader of an older snapshot keeps the log from being emptied: it grows, and erased values stay in it. So while it
/// is being emptied, beyond its bound or after an erasure, the store's own readers in any process stop after a while,
/// and no new ones start. Safe to share between threads.
struct WriteAheadLog: Sendable {
    /// Limits for readers and erasing.
    struct Bounds: Sendable {
        /// The log is emptied beyond this size.
        var bytes = 128 << 20
        /// The file's size limit, exceeded for long only while another program reads.
        var fileBytes: Int { 2 * bytes }
        /// How long a reader may keep an older snapshot.
        var patience: Duration = .seconds(2)
        /// How long an erasure waits for the log to be emptied.
        var erasing: Duration = .seconds(10)
        /// Time between later attempts.
        var pause: Duration = .seconds(5)
        /// How long new reads wait at most: until running ones have stopped.
        var emptying: Duration { patience + .milliseconds(500) }
    }

    /// After a crash while emptying, readers are stopped for at most this time, in seconds.
    private static let mostEmptying = 60.0

    private let store: String
    let bounds: Bounds

    init(ofStore store: String, bounds: Bounds = Bounds()) { (self.store, self.bounds) = (store, bounds) }

    var bytes: Int { FileSize.bytes(of: store + "-wal") ?? 0 }

    /// The file tells readers in all processes that the log is being emptied.
    func mark(isEmptied: Bool) {
        let path = Self.markPath(ofStore: store)
        try? FileManager.default.removeItem(atPath: path)
        guard isEmptied else { return }
        // If it cannot be created, other processes' readers do not stop, and the remains are reported.
        _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }

    static func markPath(ofStore store: String) -> String { store + "-erasing" }

    /// Whether long-running readers must stop.
    var isHeldUp: Bool { isMarked(within: Self.mostEmptying) }

    /// Blocks a new read while the log is being emptied.
    func waitWhileEmptied() {
        let (end, most) = (ContinuousClock.now + bounds.emptying, bounds.emptying / .seconds(1))
        while isMarked(within: most), .now < end { Thread.sleep(forTimeInterval: 0.01) }
    }

    private func isMarked(within seconds: Double) -> Bool {
        let path = Self.markPath(ofStore: store)
        guard FileSize.bytes(of: path) != nil,
            let time = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        else { return false }
        return abs(time.timeIntervalSinceNow) < seconds
    }
}

/// Decides when a reader must give up its snapshot. Belongs to the reader's thread.
struct LogGuard {
    /// Time between checks of the mark.
    private static let pause: Duration = .milliseconds(50)

    private let patience: Duration
    private let isHeldUp: () -> Bool
    private let begin: ContinuousClock.Instant
    private var next: ContinuousClock.Instant
    private(set) var hasEnded = false

    init(
        patience: Duration, from now: ContinuousClock.Instant = .now, isHeldUp: @escaping () -> Bool
    ) {
        self.patience = patience
        self.isHeldUp = isHeldUp
        begin = now
        next = now + patience
    }

    init(_ log: WriteAheadLog) { self.init(patience: log.bounds.patience) { log.isHeldUp } }

    mutating func mustEnd(at now: ContinuousClock.Instant = .now) -> Bool {
        guard !hasEnded, now >= next else { return hasEnded }
        next = now + Self.pause
        hasEnded = isHeldUp()
        return hasEnded
    }

    var error: StoreError {
        StoreError(
            .limit,
            "Stopped after \(patience): it read an older state of the store, which kept its write-ahead log from being "
                + "emptied, and the log is full or records are being erased. Ask again, for less at once; or ask a copy "
                + "made by `daybook backup`.")
    }
}
