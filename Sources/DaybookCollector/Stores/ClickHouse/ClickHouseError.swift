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

    var reason: Reason
    /// One line.
    var message: String

    private var code: Int? { if case .refused(let code) = reason { code } else { nil } }

    /// Whether the server says that there is no such table or database.
    var isMissing: Bool { code.map(Self.missing.contains) ?? false }
    /// Whether the statement would have written.
    var isReadOnly: Bool { code == 164 }
    /// Whether time or memory ran out.
    var isLimit: Bool { if case .stopped = reason { true } else { code.map(Self.limits.contains) ?? false } }

    /// As an answer to somebody who reads.
    var whileReading: StoreError {
        guard let code else { return StoreError(isLimit ? .limit : .unavailable, message) }
        if Self.storage.contains(code) { return StoreError(.storage, message) }
        if Self.access.contains(code) { return StoreError(.unavailable, message) }
        return StoreError(isLimit ? .limit : .badStatement, message)
    }

    /// As an answer to somebody whose records are to be stored: never that they cannot be, for they shall come again.
    var whileWriting: StoreError {
        let error = whileReading
        return error.code == .unavailable ? error : StoreError(.storage, message)
    }
}
