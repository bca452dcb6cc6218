/// What is recorded of requests: a value with plain options, sound by default. Safe to share between threads.
///
/// By default a record tells method, address without query values, status, sizes, duration, a few harmless headers, and
/// the name of a GraphQL operation. Credentials never pass, whatever is chosen here: they are replaced before the record
/// reaches the journal.
public struct RequestRecording: Sendable {
    /// What becomes of bodies. In every case text alone is kept, without credentials, and cut to a size.
    public enum Bodies: Sendable {
        /// Only their sizes are recorded.
        case sizes
        /// The latest ones stay in memory, for a screen of the app; nothing of them is stored or sent.
        case inMemory(RecentBodies)
        /// They are part of the record: stored, and sent wherever its routes lead. At most so many bytes of each body, from
        /// 1 to 16,384.
        case recorded(maximumBytes: Int)
    }

    /// Header fields that are recorded, in lower case. Those that may carry a credential read `[redacted]` even if they are
    /// named here.
    public var headers: Set<String> = [
        "accept", "accept-language", "age", "cache-control", "content-encoding", "content-language", "content-length",
        "content-type", "date", "etag", "expires", "last-modified", "retry-after", "server", "user-agent", "vary",
        "via",
        "x-request-id",
    ]
    /// Query parameters whose values are recorded; those of all others read `REDACTED`, because that is where tokens and
    /// names travel. Default: none.
    public var queryParameters: Set<String> = []
    /// What becomes of bodies. Default: only their sizes are recorded.
    public var bodies = Bodies.sizes
    /// Whether requests carry a `traceparent` header (W3C Trace Context), so that the server's spans join theirs; one that
    /// is set already stays. Default: yes.
    public var sendsTraceParent = true
    /// Which requests are recorded. Default: all.
    public var isRecorded: @Sendable (RecordedRequest) -> Bool = { _ in true }

    /// The defaults.
    public init() {}
}
