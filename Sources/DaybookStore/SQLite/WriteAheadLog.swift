import DaybookBase
import Foundation

/// The write-ahead log beside a store's file, and what keeps it small.
///
/// The log cannot be emptied while somebody reads an older state of the store: it grows, and what was erased stays in it. So
/// a reader of ours, in whichever process, ends after a while when the log is emptied, because it has outgrown its bound or
/// somebody erases, and none begins meanwhile.
/// Safe to share between threads.
struct WriteAheadLog: Sendable {
    /// When readers end, and how long erasing waits for them.
    struct Bounds: Sendable {
        /// A log of so many bytes is emptied.
        var bytes = 128 << 20
        /// Its file has no more for long, unless another program reads.
        var fileBytes: Int { 2 * bytes }
        /// For so long any reader may keep an older state.
        var patience: Duration = .seconds(2)
        /// For so long an erasure waits for the log to be emptied.
        var erasing: Duration = .seconds(10)
        /// So often it is tried again afterwards.
        var pause: Duration = .seconds(5)
        /// For so long nobody begins to read at most: until all who read have ended.
        var emptying: Duration { patience + .milliseconds(500) }
    }

    /// Somebody who died in the midst of emptying ends readers no longer than this, in seconds.
    private static let mostEmptying = 60.0

    private let store: String
    let bounds: Bounds

    init(ofStore store: String, bounds: Bounds = Bounds()) { (self.store, self.bounds) = (store, bounds) }

    /// The size of its file.
    var bytes: Int { FileSize.bytes(of: store + "-wal") ?? 0 }

    /// Says that somebody empties it, by a file that readers in all processes see, or that nobody does any more.
    func mark(isEmptied: Bool) {
        let path = Self.markPath(ofStore: store)
        try? FileManager.default.removeItem(atPath: path)
        guard isEmptied else { return }
        // Without it readers in other processes do not end, and what remains is told.
        _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }

    static func markPath(ofStore store: String) -> String { store + "-erasing" }

    /// Whether readers that began a while ago are to end.
    var isHeldUp: Bool { isMarked(within: Self.mostEmptying) }

    /// Waits, before reading begins, until nobody empties it.
    func waitWhileEmptied() {
        let (end, most) = (ContinuousClock.now + bounds.emptying, bounds.emptying / .seconds(1))
        while isMarked(within: most), .now < end { Thread.sleep(forTimeInterval: 0.01) }
    }

    /// - Parameter seconds: how old the mark is at most.
    private func isMarked(within seconds: Double) -> Bool {
        let path = Self.markPath(ofStore: store)
        guard FileSize.bytes(of: path) != nil,
            let time = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        else { return false }
        return abs(time.timeIntervalSinceNow) < seconds
    }
}

/// Decides when a reader gives up its state of the store. Belongs to the reader's thread.
struct LogGuard {
    /// Between two looks at the files.
    private static let pause: Duration = .milliseconds(50)

    private let patience: Duration
    private let isHeldUp: () -> Bool
    private let begin: ContinuousClock.Instant
    private var next: ContinuousClock.Instant
    /// Whether the reader was told to end.
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

    /// Whether the reader is to end.
    mutating func mustEnd(at now: ContinuousClock.Instant = .now) -> Bool {
        guard !hasEnded, now >= next else { return hasEnded }
        next = now + Self.pause
        hasEnded = isHeldUp()
        return hasEnded
    }

    /// What the reader is told.
    var error: StoreError {
        StoreError(
            .limit,
            "Stopped after \(patience): it read an older state of the store, which kept its write-ahead log from being "
                + "emptied, and the log is full or records are being erased. Ask again, for less at once; or ask a copy "
                + "made by `daybook backup`.")
    }
}
