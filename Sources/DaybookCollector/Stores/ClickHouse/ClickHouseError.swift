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

    var reason: Reason
    /// One line.
    var message: String

    /// Whether the server says that there is no such table or database.
    var isMissing: Bool { if case .refused(60 | 81) = reason { true } else { false } }
    /// Whether the statement would have written.
    var isReadOnly: Bool { if case .refused(164) = reason { true } else { false } }
    /// Whether time or memory ran out.
    var isLimit: Bool {
        switch reason {
        case .stopped, .refused(158 | 159 | 160 | 241 | 307 | 396): true
        default: false
        }
    }

    /// As an answer to somebody who reads.
    var whileReading: StoreError {
        switch reason {
        case .unreached, .lost: StoreError(.unavailable, message)
        // Too many parts, no space, a broken part; a server that cannot be asked, or not by us.
        case .refused(252 | 243 | 246 | 999 | 225 | 242 | 285 | 319): StoreError(.storage, message)
        case .refused(192 | 193 | 194 | 516 | 210 | 209 | 279): StoreError(.unavailable, message)
        default: StoreError(isLimit ? .limit : .badStatement, message)
        }
    }

    /// As an answer to somebody whose records are to be stored: never that they cannot be, for they shall come again.
    var whileWriting: StoreError {
        let error = whileReading
        return error.code == .unavailable ? error : StoreError(.storage, message)
    }
}
