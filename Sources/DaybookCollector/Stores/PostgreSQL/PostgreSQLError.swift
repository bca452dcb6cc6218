import DaybookStore

/// What the server, or the way to it, said.
struct PostgreSQLError: Error {
    /// Five characters; empty where the connection failed. Source: PostgreSQL, *Appendix A, Error Codes*.
    var state: String
    /// One line.
    var message: String

    /// Whether the connection is gone: what was under way may have happened or not.
    var isLoss: Bool { state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") }
    /// Whether a value is one that the server cannot keep.
    var isData: Bool { state.hasPrefix("22") }
    /// Whether the statement was stopped, by its timeout or by us.
    var isStopped: Bool { state == "57014" }

    /// As an answer to somebody who reads.
    var whileReading: StoreError {
        if isLoss || state.hasPrefix("40") { return StoreError(.unavailable, message) }
        if isStopped { return StoreError(.limit, message) }
        if state.hasPrefix("53") || state.hasPrefix("58") || state.hasPrefix("XX") {
            return StoreError(.storage, message)
        }
        return StoreError(.badStatement, message)
    }

    /// As an answer to somebody whose records are to be stored: never that they cannot be, for they shall come again.
    var whileWriting: StoreError {
        let error = whileReading
        return error.code == .badStatement || error.code == .limit ? StoreError(.storage, message) : error
    }
}
