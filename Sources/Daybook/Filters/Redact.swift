/// Replaces secrets before anything reaches the disk: values of secret names, and credentials in texts.
///
/// A value is replaced if its name is one of `names`, ignoring case, `-` and `_`, at any depth. In texts, including
/// messages, these are replaced: bearer and basic authorizations, JSON web tokens, user and password in URLs, and
/// `name=value` or `name: value` with a secret name.
///
/// Records without these keep the fast path; others are built and rewritten.
public struct Redact: FilterStage, Screen {
    /// Replaces a secret.
    public static let replacement = CredentialScrubber.replacement

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

/// A rewriting filter that recognises from the bytes which records it leaves alone, so that most need not be built. It
/// changes only values: never the tag or level, and it neither drops nor splits.
protocol Screen: Filter {
    /// Whether the encoded record would stay unchanged; `false` if in doubt.
    func leaves(_ payload: UnsafeRawBufferPointer, isSpan: Bool) -> Bool

    func screened(_ record: Record) -> Record
}

extension Screen {
    public func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) { emit(screened(record)) }
}
