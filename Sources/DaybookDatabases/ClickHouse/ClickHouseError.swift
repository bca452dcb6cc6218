import DaybookCurl
import DaybookStore

/// An error of a server or of its connection.
struct ClickHouseError: Error {
    /// The fate of the statement.
    enum Reason {
        /// It was never sent.
        case unreached
        /// It may or may not have run.
        case lost
        /// We stopped waiting for it.
        case stopped
        /// The server's error code. Source: ClickHouse, `ErrorCodes.cpp`.
        case refused(Int)
    }

    /// Missing tables and databases.
    private static let missing: Set = [60, 81]
    /// Out of time, rows or memory.
    private static let limits: Set = [158, 159, 160, 241, 307, 396]
    /// Too many parts, no space, a broken part, no quorum.
    private static let storage: Set = [225, 242, 243, 246, 252, 285, 319, 999]
    /// Authentication, or connections between servers.
    private static let access: Set = [192, 193, 194, 209, 210, 279, 516]

    /// The node is read-only, has lost the keeper or other nodes, or is starting up.
    private static let ofNode: Set = storage.union([32, 60, 81, 209, 210, 225, 279, 286, 289])

    var reason: Reason
    /// One line.
    var message: String
    /// An error that we detected ourselves, reported as is.
    var own: StoreError?

    init(reason: Reason, message: String, own: StoreError? = nil) {
        (self.reason, self.message, self.own) = (reason, message, own)
    }

    /// A statement without a response.
    init(_ failure: CurlFailure, of node: ClickHouseAddress.Node, timeout: Duration) {
        reason = failure.reach != .perhaps ? .unreached : failure.isStopped ? .stopped : .lost
        message =
            failure.isStopped && failure.reach == .perhaps
            ? "ClickHouse at \(node) did not answer within \(timeout)."
            : "ClickHouse at \(node) cannot be reached: \(failure.message)"
    }

    private var code: Int? { if case .refused(let code) = reason { code } else { nil } }

    var isMissing: Bool { code.map(Self.missing.contains) ?? false }
    /// The table exists, or is being made right now.
    var isThere: Bool { code == 57 }
    /// A write in read-only mode.
    var isReadOnly: Bool { code == 164 }
    /// Too few live replicas for the insert's quorum.
    var isAlone: Bool { code == 285 }
    /// Another quorum insert is in progress; servers before 21 take one at a time.
    var isInTurn: Bool { code == 286 }
    /// The server was down, or went down meanwhile.
    var isAway: Bool {
        switch reason {
        case .unreached, .lost: true
        case .stopped, .refused: false
        }
    }
    /// Whether another node might succeed.
    var isOfNode: Bool {
        switch reason {
        case .unreached, .lost, .stopped: true
        case .refused(let code): Self.ofNode.contains(code)
        }
    }
    /// Whether the server refused the statement's content, rather than because of its own state.
    var isOfContent: Bool { code.map { !Self.ofNode.contains($0) } ?? false }
    /// Whether time or memory ran out.
    var isLimit: Bool { if case .stopped = reason { true } else { code.map(Self.limits.contains) ?? false } }

    /// For our own statements: a bad statement means a bad store.
    var ofStore: StoreError {
        let error = ofStatement
        return own == nil && error.code == .badStatement ? StoreError(.storage, message) : error
    }

    /// For the author of the statement.
    var ofStatement: StoreError {
        if let own { return own }
        guard let code else { return StoreError(isLimit ? .limit : .unavailable, message) }
        if Self.storage.contains(code) { return StoreError(.storage, message) }
        if Self.access.contains(code) { return StoreError(.unavailable, message) }
        return StoreError(isLimit ? .limit : .badStatement, message)
    }
}
