/// A stream's owner, determined by the collector; prefixes the stream's name in accounts.
///
/// Senders can use any stream name, so it is unique only within its owner: none can settle, repeat or report losses for
/// another's stream. Streams that did not pass a collector have no owner: imports, apps' own stores, earlier versions.
package enum StreamOwner: Sendable, Hashable {
    /// An installation that proves its identity with each request.
    /// - digest: Of the proof.
    case proven(digest: String)
    /// A sender with a key of this name; `nil` if none is required. Its records are trusted, but no other claims.
    case unproven(key: String?)

    private static let provenStart = "proof:"
    private static let unprovenStart = "unproven:"
    private static let importedStart = "imported:"

    /// The context member with the owner of a record's stream. Only the collector writes it, and only for uids of that
    /// stream, so that exports identify owners and lookalike uids do not.
    package static let member = "daybook.owner"

    package var isProven: Bool { if case .proven = self { true } else { false } }

    package func name(_ given: String) -> String { "\(self)/\(given)" }

    static func importName(of stream: String, by owner: String) -> String { "\(importedStart)\(owner)/\(stream)" }

    /// The start of the sender's name in an account's; `nil` for a stream without an owner.
    private static func start(in account: String) -> String.Index? {
        guard account.hasPrefix(provenStart) || account.hasPrefix(unprovenStart) else { return nil }
        return account.firstIndex(of: "/").map { account.index(after: $0) }
    }

    /// The owner's text in an account's name; `nil` without one.
    package static func owner(of account: String) -> String? {
        start(in: account).map { String(account[..<account.index(before: $0)]) }
    }

    package static func given(_ account: String) -> Substring {
        start(in: account).map { account[$0...] } ?? account[...]
    }

    /// Whether the sender's stream name of an account is `stream`.
    static func isNamed(_ account: String, _ stream: String) -> Bool {
        let given = given(account)
        return given == stream || given.hasPrefix(stream + "/")
    }

    /// Owner, stream and output, without the signal: requests for logs and traces report the same losses.
    package static func sender(of account: String) -> String {
        let given = given(account)
        let owner = account[..<given.startIndex]
        return owner + given.split(separator: "/", omittingEmptySubsequences: false).prefix(2).joined(separator: "/")
    }
}

extension StreamOwner: CustomStringConvertible {
    package var description: String {
        switch self {
        case .proven(let digest): Self.provenStart + digest
        case .unproven(let key):
            // The first slash ends the owner.
            Self.unprovenStart + (key ?? "").replacing("%", with: "%25").replacing("/", with: "%2F")
        }
    }
}

/// The same in SQL, over a column of account names.
extension StreamOwner {
    /// Whether settled numbers without records are trusted: not those of unproven senders and of imports. For every
    /// dialect.
    package static func isBelieved(_ column: String = "stream") -> String {
        // Not IN, which an older ClickHouse takes for a constant when there are no rows.
        "substring(\(column), 1, 9) <> '\(unprovenStart)' AND substring(\(column), 1, 9) <> '\(importedStart)'"
    }

    /// 1 for a stream with a proven owner, otherwise 0, in every dialect.
    package static func proof(_ column: String = "stream") -> String {
        "CASE WHEN substring(\(column), 1, 6) = '\(provenStart)' THEN 1 ELSE 0 END"
    }

    /// The owner, or an empty text.
    /// - Parameter first: The dialect's expression for a name up to its first slash.
    package static func owner(_ column: String, _ first: String) -> String {
        """
        CASE WHEN substring(\(column), 1, 6) = '\(provenStart)' OR substring(\(column), 1, 9) = '\(unprovenStart)'
            THEN \(first) ELSE '' END
        """
    }
}
