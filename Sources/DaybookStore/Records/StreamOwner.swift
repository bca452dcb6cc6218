/// Whose a stream is, as the collector's door found it: the first part of the name that its account has.
///
/// Everybody who may send can name any stream. So a name that a sender gives means something among streams of the same
/// owner alone: nobody can settle, repeat or report for the stream of another. Streams that were stored without passing
/// the door, by an import, by an app in its own process, or by an earlier version, have no owner.
package enum StreamOwner: Sendable, Hashable {
    /// An installation that proves with each request that it is the same.
    /// - digest: of the proof.
    case proven(digest: String)
    /// Whoever sends with a key of this name; `nil` where no key is asked for. Its claims are believed for nothing but the
    /// records that it sends.
    case unproven(key: String?)

    private static let provenStart = "proof:"
    private static let unprovenStart = "unproven:"
    /// What the name of an import of an owner's stream begins with.
    private static let importedStart = "imported:"

    /// The member of a record's context that says whose stream it came by. The door alone writes it, and only where the uid
    /// is a number of the stream: so an export says whose its records are, and a uid that merely looks like one does not.
    package static let member = "daybook.owner"

    package var isProven: Bool { if case .proven = self { true } else { false } }

    /// A name that the owner gives, as its accounts have it.
    package func name(_ given: String) -> String { "\(self)/\(given)" }

    /// The name under which imports of an owner's stream are settled.
    static func importName(of stream: String, by owner: String) -> String { "\(importedStart)\(owner)/\(stream)" }

    /// Where a stream's own name begins in that of its account; `nil` for a stream without an owner.
    private static func start(in account: String) -> String.Index? {
        guard account.hasPrefix(provenStart) || account.hasPrefix(unprovenStart) else { return nil }
        return account.firstIndex(of: "/").map { account.index(after: $0) }
    }

    /// The owner of an account's stream, as it is written; `nil` for a stream without one.
    package static func owner(of account: String) -> String? {
        start(in: account).map { String(account[..<account.index(before: $0)]) }
    }

    /// The name of an account without its owner.
    package static func given(_ account: String) -> Substring {
        start(in: account).map { account[$0...] } ?? account[...]
    }

    /// Whether an account is of the stream that its sender names so.
    static func isNamed(_ account: String, _ stream: String) -> Bool {
        let given = given(account)
        return given == stream || given.hasPrefix(stream + "/")
    }

    /// The stream and the output that an account is of, with their owner: requests of logs and of traces report the same
    /// losses.
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

/// The same in SQL, over a column with an account's name.
extension StreamOwner {
    /// Whether what a stream settles beside its records is believed, in every dialect: an import brings what a file has.
    package static func isBelieved(_ column: String = "stream") -> String {
        // Not by IN, which an older ClickHouse takes for a constant where there are no rows.
        "substring(\(column), 1, 9) <> '\(unprovenStart)' AND substring(\(column), 1, 9) <> '\(importedStart)'"
    }

    /// 1 for a stream whose sender proves that it is the same, otherwise 0, in every dialect.
    package static func proof(_ column: String = "stream") -> String {
        "CASE WHEN substring(\(column), 1, 6) = '\(provenStart)' THEN 1 ELSE 0 END"
    }

    /// The owner, or an empty text.
    /// - Parameter first: what gives the part of a name before its first slash, in the dialect.
    package static func owner(_ column: String, _ first: String) -> String {
        """
        CASE WHEN substring(\(column), 1, 6) = '\(provenStart)' OR substring(\(column), 1, 9) = '\(unprovenStart)'
            THEN \(first) ELSE '' END
        """
    }
}
