/// What went wrong in a store.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// The statement is wrong, or writes.
        case badStatement
        /// A limit of time or size was met.
        case limit
        /// The store cannot be opened or has another schema.
        case unavailable
        /// The disk is full, or reading or writing failed.
        case storage
    }

    public var code: Code
    /// What happened, where, and what to do: one line of English, safe to show.
    public var message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
