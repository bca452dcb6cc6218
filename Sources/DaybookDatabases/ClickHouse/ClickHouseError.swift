import DaybookCurl
import DaybookStore

/// What a server, or the way to it, said.
struct ClickHouseError: Error {
    /// What became of the statement.
    enum Reason {
        /// It was never sent.
        case unreached
        /// It may have been carried out or not.
        case lost
        /// We stopped waiting for it.
        case stopped
        /// The server refused it, with its number for that. Source: ClickHouse, `ErrorCodes.cpp`.
        case refused(Int)
    }

    /// Tables and databases that are not there.
    private static let missing: Set = [60, 81]
    /// Time, rows or memory that ran out.
    private static let limits: Set = [158, 159, 160, 241, 307, 396]
    /// Too many parts, no space, a broken part, no quorum.
    private static let storage: Set = [225, 242, 243, 246, 252, 285, 319, 999]
    /// Who we are, or the way to the other servers.
    private static let access: Set = [192, 193, 194, 209, 210, 279, 516]

    /// A node whose tables cannot be written now, that cannot reach the keeper or the others, or has only come up.
    private static let ofNode: Set = storage.union([32, 60, 81, 209, 210, 225, 279, 286, 289])

    var reason: Reason
    /// One line.
    var message: String
    /// What we have found ourselves, as it is to be told.
    var own: StoreError?

    init(reason: Reason, message: String, own: StoreError? = nil) {
        (self.reason, self.message, self.own) = (reason, message, own)
    }

    /// A statement without an answer.
    init(_ failure: CurlFailure, of node: ClickHouseAddress.Node, timeout: Duration) {
        reason = failure.reach != .perhaps ? .unreached : failure.isStopped ? .stopped : .lost
        message =
            failure.isStopped && failure.reach == .perhaps
            ? "ClickHouse at \(node) did not answer within \(timeout)."
            : "ClickHouse at \(node) cannot be reached: \(failure.message)"
    }

    private var code: Int? { if case .refused(let code) = reason { code } else { nil } }

    /// Whether the server says that there is no such table or database.
    var isMissing: Bool { code.map(Self.missing.contains) ?? false }
    /// Whether the server says that there is such a table already, or that somebody makes it at this moment.
    var isThere: Bool { code == 57 }
    /// Whether the statement would have written.
    var isReadOnly: Bool { code == 164 }
    /// Whether too few replicas are alive for an insert to be on as many as it wants.
    var isAlone: Bool { code == 285 }
    /// Whether another insert that wants to be on several replicas is not there yet; the servers before 21 take one after
    /// the other.
    var isInTurn: Bool { code == 286 }
    /// Whether the server was not there, or went away meanwhile.
    var isAway: Bool {
        switch reason {
        case .unreached, .lost: true
        case .stopped, .refused: false
        }
    }
    /// Whether the same may succeed on another node.
    var isOfNode: Bool {
        switch reason {
        case .unreached, .lost, .stopped: true
        case .refused(let code): Self.ofNode.contains(code)
        }
    }
    /// Whether the server refused what a statement says, and not because of its own state.
    var isOfContent: Bool { code.map { !Self.ofNode.contains($0) } ?? false }
    /// Whether time or memory ran out.
    var isLimit: Bool { if case .stopped = reason { true } else { code.map(Self.limits.contains) ?? false } }

    /// As an answer where the statement is ours: what is wrong with it is wrong with the store.
    var ofStore: StoreError {
        let error = ofStatement
        return own == nil && error.code == .badStatement ? StoreError(.storage, message) : error
    }

    /// As an answer to whoever wrote the statement.
    var ofStatement: StoreError {
        if let own { return own }
        guard let code else { return StoreError(isLimit ? .limit : .unavailable, message) }
        if Self.storage.contains(code) { return StoreError(.storage, message) }
        if Self.access.contains(code) { return StoreError(.unavailable, message) }
        return StoreError(isLimit ? .limit : .badStatement, message)
    }
}
