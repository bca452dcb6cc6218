import DaybookBase

/// Why a batch was not stored.
///
/// A sender discards a batch only when it is rejected, so a database error is never a rejection.
public enum AppendError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store will never accept the batch.
    case rejected(BatchFlaw)
    /// The batch was not stored this time. Send it again.
    case failed(StoreError)

    public var description: String {
        switch self {
        case .rejected(let flaw): flaw.description
        case .failed(let error): error.description
        }
    }
}

/// A permanent flaw, found in the batch itself before it reaches a database. The list is closed.
public enum BatchFlaw: Sendable, Hashable, CustomStringConvertible {
    /// A sequence number does not fit an `Int64`.
    case sequences(stream: String)
    /// The name of the stream, or of the sender of its losses, exceeds the store's key length in bytes.
    case streamName(limit: Int)
    /// Consecutive rows repeat too many bytes of context, and the store writes a context with each row. Send fewer.
    case repeatedContexts

    /// More rows than a stream settles in one commit. Send fewer rows.
    case numberedRows

    /// Whether fewer rows would be accepted.
    package var isOfSize: Bool { [.repeatedContexts, .numberedRows].contains(self) }

    public var description: String {
        switch self {
        case .sequences(let stream):
            "The sequence numbers of stream \(stream.boundedName) exceed \(Int64.max). Start a new stream."
        case .streamName(let limit):
            "The name of a stream has more than \(limit) bytes. Start a stream with a shorter one."
        case .repeatedContexts:
            "The records repeat more than \(RecordBatch.repeatedContextLimit) bytes of what they share, and this store "
                + "keeps it with each. Send fewer records at once, or less in the resource and the scope."
        case .numberedRows:
            "More than \(RecordBatch.numberedLimit) numbered records at once. Send smaller batches."
        }
    }
}

extension RecordBatch {
    /// Limit of repeated context in such a store, in bytes.
    package static let repeatedContextLimit = 32 << 20

    /// Rows of one stream in a batch. They share a commit that other senders wait for.
    package static let numberedLimit = 10_000

    /// - Throws: ``AppendError/rejected(_:)`` if a sequence number exceeds `Int64`, or the batch has too many numbered
    ///   rows.
    package func checkSequences() throws(AppendError) {
        guard isImport || origin == nil || rows.count <= Self.numberedLimit else { throw .rejected(.numberedRows) }
        guard let origin, Settlement.hull(of: rows, origin: origin).through > Int64.max else { return }
        throw .rejected(.sequences(stream: origin.stream))
    }

    /// For a store whose keys are bounded.
    /// - Throws: ``AppendError/rejected(_:)``.
    package func checkNames(limit: Int) throws(AppendError) {
        guard [origin?.stream, losses?.sender].contains(where: { ($0?.utf8.count ?? 0) > limit }) else { return }
        throw .rejected(.streamName(limit: limit))
    }

    /// For a store that writes a context with each row.
    /// - Throws: ``AppendError/rejected(_:)``.
    package func checkRepeatedContexts() throws(AppendError) {
        var bytes = 0
        for (row, next) in zip(rows, rows.dropFirst()) where row.context == next.context {
            bytes += next.context.utf8.count
        }
        guard bytes <= Self.repeatedContextLimit else { throw .rejected(.repeatedContexts) }
    }
}
