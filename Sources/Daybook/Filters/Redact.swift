/// Replaces what must not be stored, before anything reaches a disk: values of secret names, and secrets in texts.
///
/// A value is replaced if its name is one of `names`, ignoring case, `-` and `_`, at any depth of arrays and objects.
/// In texts, including messages, what looks like a credential is replaced: bearer and basic authorisations, JSON web
/// tokens, user and password in addresses, and `name=value` or `name: value` with a secret name.
///
/// A record without any of these keeps the fast path; only one that may have some is built and rewritten.
public struct Redact: FilterStage, Screen {
    /// The text that replaces a secret.
    public static let replacement = CredentialScrubber.replacement

    /// The names whose values are always secret.
    public static let credentialNames = CredentialScrubber.credentialNames

    /// Redacts credentials in every record.
    public static let credentials = Redact()

    public let pattern: String
    private let scrubber: CredentialScrubber
    private let screen: CredentialScreen

    /// Redacts the records that match.
    ///
    /// ```swift
    /// Redact(names: ["session_key"])
    /// ```
    /// - Parameters:
    ///   - pattern: See `TagPattern`. Default: all.
    ///   - names: Additional names whose values are secret.
    public init(_ pattern: String = "**", names: [String] = []) {
        self.pattern = pattern
        let names = Self.credentialNames.union(names.map(CredentialScrubber.normalised))
        scrubber = CredentialScrubber(names: names)
        screen = CredentialScreen(names: names)
    }

    public var action: FilterAction { .rewrite(self) }

    func leaves(_ payload: UnsafeRawBufferPointer, isSpan: Bool) -> Bool { screen.isClean(payload, isSpan: isSpan) }

    func screened(_ record: Record) -> Record {
        var record = record
        record.message = record.message.map(scrubber.scrubbed)
        record.failure = record.failure.map(scrubber.scrubbed)
        record.attributes = scrubber.scrubbed(record.attributes)
        return record
    }
}

/// A rewriting filter that can tell from a record's bytes that it would leave it alone, so that most records need not be
/// built. It changes values only: never the tag or the level, and it neither drops nor splits.
protocol Screen: Filter {
    /// Whether the record, as it is encoded, would come out unchanged. `false` where in doubt.
    func leaves(_ payload: UnsafeRawBufferPointer, isSpan: Bool) -> Bool

    /// What takes the record's place.
    func screened(_ record: Record) -> Record
}

extension Screen {
    public func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) { emit(screened(record)) }
}
