import DaybookBase

/// Why a batch was not stored.
///
/// Whoever sends a batch gives it up only if it is rejected; so a rejection is never made from what a database says.
public enum AppendError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store never takes it, however often it is sent.
    case rejected(BatchFlaw)
    /// It is not stored now, for whatever reason. Send it again.
    case failed(StoreError)

    public var description: String {
        switch self {
        case .rejected(let flaw): flaw.description
        case .failed(let error): error.description
        }
    }
}

/// What is wrong with a batch for good: a closed list, each proven by the batch alone before a database sees it.
public enum BatchFlaw: Sendable, Hashable, CustomStringConvertible {
    /// A sequence number does not fit an `Int64`.
    case sequences(stream: String)
    /// The name of the stream, or of the sender of its losses, is longer than a key of the store.
    case streamName(limit: Int)
    /// The rows repeat a context too often, and the store keeps it with each. Fewer rows at once are taken.
    case repeatedContexts

    /// More rows than a stream settles at once. Fewer are taken.
    case numberedRows

    /// Whether a part of the batch is taken.
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
    /// The most bytes of context that a batch may repeat where each row is written with its own.
    package static let repeatedContextLimit = 32 << 20

    /// The most rows of one stream in a batch: they are stored in one commit, for which other senders wait.
    package static let numberedLimit = 10_000

    /// - Throws: ``AppendError/rejected(_:)`` if no store can keep its numbers, or settle so many at once.
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
