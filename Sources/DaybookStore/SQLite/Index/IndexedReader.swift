/// A reading connection with the index beside it, as long as that can be read: an index that is missing, damaged or none at all
/// makes reading slower, and no reader fails. Belongs to the connection's thread.
final class IndexedReader {
    /// Between two looks at an index that could not be read.
    private static let pause: Duration = .seconds(1)

    private let connection: SQLiteConnection
    private let path: String
    private let identity: String
    /// Told why the index cannot be used, and whether it was in use before.
    private let failed: @Sendable (StoreError, _ wasInUse: Bool) -> Void
    private var attached: FileIdentity?
    private var next: ContinuousClock.Instant?

    /// - Parameters:
    ///   - path: the store's.
    ///   - identity: of the store.
    init(
        _ connection: SQLiteConnection, ofStore path: String, identity: String,
        failed: @escaping @Sendable (StoreError, _ wasInUse: Bool) -> Void
    ) {
        self.connection = connection
        self.path = IndexSchema.path(ofStore: path)
        self.identity = identity
        self.failed = failed
    }

    /// Runs something that reads; once more without the index where that is at fault.
    /// - Throws: ``StoreError``.
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

    /// Attaches the file that is the index now.
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
