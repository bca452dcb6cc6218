/// A reading connection with the index attached while usable; without it, reads are slower. Belongs to the connection's
/// thread.
final class IndexedReader {
    /// Time between attempts to attach an unusable index.
    private static let pause: Duration = .seconds(1)

    private let connection: SQLiteConnection
    private let path: String
    private let identity: String
    /// Called with the reason why the index is unusable, and whether it was in use before.
    private let failed: @Sendable (StoreError, _ wasInUse: Bool) -> Void
    private var attached: FileIdentity?
    private var next: ContinuousClock.Instant?

    init(
        _ connection: SQLiteConnection, ofStore path: String, identity: String,
        failed: @escaping @Sendable (StoreError, _ wasInUse: Bool) -> Void
    ) {
        self.connection = connection
        self.path = IndexSchema.path(ofStore: path)
        self.identity = identity
        self.failed = failed
    }

    /// Runs `body`; if the index fails, repeats it without the index.
    func read<Value>(_ body: (SQLiteConnection) throws(StoreError) -> Value) throws(StoreError) -> Value {
        attach()
        do throws(StoreError) {
            return try body(connection)
        } catch {
            guard connection.hasIndex, [.storage, .unavailable].contains(error.code), !error.isFullDisk else {
                throw error
            }
            detach(until: .now + Self.pause)
            let value = try body(connection)
            failed(error, true)
            return value
        }
    }

    private func attach() {
        if connection.hasIndex {
            if FileIdentity(path) == attached { return }
            detach(until: nil)
        }
        if let next, .now < next { return }
        do throws(StoreError) {
            guard let file = try IndexSchema.file(path) else { return }
            try connection.attachIndex(path)
            attached = file
            try IndexSchema.check(connection, "idx", identity: identity)
            next = nil
        } catch {
            detach(until: .now + Self.pause)
            failed(error, false)
        }
    }

    private func detach(until next: ContinuousClock.Instant?) {
        connection.detachIndex()
        (attached, self.next) = (nil, next)
    }
}
