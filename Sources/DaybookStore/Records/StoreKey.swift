import DaybookBase

/// A store's own secret: what is named by a digest of stored values is named with it, so that nobody who sees a name can
/// try values until one fits, nor make two values that have one name.
package struct StoreKey: Sendable {
    /// Of stores that last no longer than their process.
    fileprivate static let ofProcess = StoreKey(.random())

    private let key: HashKey

    private init(_ key: HashKey) { self.key = key }

    /// - Parameter identity: 32 hexadecimal digits, which the store keeps.
    package init(identity: String) {
        key = HashKey(
            UInt64(identity.prefix(16), radix: 16) ?? 0, UInt64(identity.dropFirst(16).prefix(16), radix: 16) ?? 0)
    }

    /// An identity for a new store.
    package static func newIdentity() -> String {
        let key = HashKey.random()
        return Hex.text(key.k0) + Hex.text(key.k1)
    }

    /// The name of a context: 32 hexadecimal digits.
    package func name(ofContext context: String) -> String { key.hash(context) }

    /// The uid of a record whose sender gave none, from a digest of what it holds: 32 hexadecimal digits.
    fileprivate func uid(of digest: String) -> String { key.hash("uid \(digest)") }

    /// The name of the stream under which a file's records are settled, in the form of a sender's: 48 digits.
    fileprivate func stream(ofFile digest: String) -> String {
        key.hash("file \(digest)") + key.hash("stream \(digest)").prefix(16)
    }
}

/// A store that keeps its key.
package protocol KeyedStore {
    var ownKey: StoreKey { get }
}

extension EventStore {
    package var key: StoreKey { (self as? any KeyedStore)?.ownKey ?? .ofProcess }
}

extension RecordRow {
    /// The row as it is stored: a digest in the place of a uid takes the store's key.
    package func named(by key: StoreKey) -> RecordRow {
        guard isDigest else { return self }
        var row = self
        (row.uid, row.isDigest) = (key.uid(of: uid), false)
        return row
    }
}

extension RecordBatch {
    /// The batch as it is stored: no digest of what it holds is a name in it.
    package func named(by key: StoreKey) -> RecordBatch {
        var batch = self
        for place in rows.indices where rows[place].isDigest { batch.rows[place] = rows[place].named(by: key) }
        if let file = origin?.file {
            batch.origin?.stream = Origin.importName(ofFile: key.stream(ofFile: file))
            batch.origin?.file = nil
        }
        return batch
    }
}
