import DaybookBase

/// A store's secret key for names derived from content, which then reveal nothing to guesses and cannot be made to
/// collide.
package struct StoreKey: Sendable {
    /// For stores that live no longer than the process.
    fileprivate static let ofProcess = StoreKey(.random())

    private let key: HashKey

    private init(_ key: HashKey) { self.key = key }

    /// - Parameter identity: 32 hexadecimal digits, which the store keeps.
    package init(identity: String) {
        key = HashKey(
            UInt64(identity.prefix(16), radix: 16) ?? 0, UInt64(identity.dropFirst(16).prefix(16), radix: 16) ?? 0)
    }

    package static func newIdentity() -> String {
        let key = HashKey.random()
        return Hex.text(key.k0) + Hex.text(key.k1)
    }

    /// The name of a context: 32 hexadecimal digits.
    package func name(ofContext context: String) -> String { key.hash(context) }

    /// For the keys of values in columns, which never leave the store and its index.
    package var ofColumns: HashKey { key }

    /// The uid of a record without one, from a digest of its content: 32 hexadecimal digits.
    fileprivate func uid(of digest: String) -> String { key.hash("uid \(digest)") }

    /// The stream name for a file's records, in a sender's form: 48 hexadecimal digits.
    fileprivate func stream(ofFile digest: String) -> String {
        key.hash("file \(digest)") + key.hash("stream \(digest)").prefix(16)
    }
}

package protocol KeyedStore {
    var ownKey: StoreKey { get }
}

extension EventStore {
    package var key: StoreKey { (self as? any KeyedStore)?.ownKey ?? .ofProcess }
}

extension RecordRow {
    /// The row with its uid's digest, if it has one, keyed.
    package func named(by key: StoreKey) -> RecordRow {
        guard isDigest else { return self }
        var row = self
        (row.uid, row.isDigest) = (key.uid(of: uid), false)
        return row
    }
}

extension RecordBatch {
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
