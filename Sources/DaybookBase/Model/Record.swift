/// A whole record, as filters and outputs see it.
///
/// A struct, so that adding a field breaks no code. Value semantics.
public struct Record: Sendable, Hashable {
    /// The sequence number in the journal; 0 before it has one.
    public var sequence: UInt64 = 0
    /// Nanoseconds since 1970-01-01T00:00:00Z; a span's start.
    public var time: Int64
    public var kind: Kind
    public var level: Level
    /// Dot-separated terms.
    public var tag: String
    /// The free text of messages and errors; the name of spans and requests.
    public var message: String?
    public var attributes: Attributes
    /// The common attributes at its time.
    public var context: Attributes = [:]
    /// The attributes, including those of `context`, that the definitions call private. They are delivered, but masked
    /// on screens, in files and in exports; see ``masked``.
    public var privateNames: [String] = []
    /// Where it was logged, as `Module/File.swift`, if kept.
    public var file: String?
    /// The function where it was logged, if kept.
    public var function: String?
    /// The line where it was logged, from 1, if kept.
    public var line: Int?
    /// The column where it was logged, from 1, if kept.
    public var column: Int?
    /// The record's own span, or the span it belongs to.
    public var span: SpanContext?
    public var parentSpanID: UInt64?
    /// Nanoseconds, for spans and requests.
    public var duration: Int64?
    /// Why a span failed; empty if no reason was given.
    public var failure: String?

    /// Creates a record with the fields that every record has.
    ///
    /// ```swift
    /// let record = Record(
    ///     time: 1_767_225_600_000_000_000, kind: .event, level: .info, tag: "feed.show", attributes: ["position": 3])
    /// ```
    public init(
        time: Int64, kind: Kind, level: Level, tag: String, message: String? = nil, attributes: Attributes = [:]
    ) {
        self.time = time
        self.kind = kind
        self.level = level
        self.tag = tag
        self.message = message
        self.attributes = attributes
    }

    /// Whether it is a span on the wire: a measurement or a request with a ``span``.
    package var isSpan: Bool { (kind == .span || kind == .request) && span != nil }

    /// Whether it is a span that has not ended, as passed to outputs that take starts.
    public var isRunning: Bool { isSpan && duration == nil }

    /// The Swift module that logged it, if the source was kept.
    public var module: String? {
        guard let file, let slash = file.firstIndex(of: "/") else { return nil }
        return String(file[..<slash])
    }
}

extension Record {
    /// Replaces a private value.
    public static let mask = "[private]"

    /// The record with the values of ``privateNames`` replaced by ``mask``. The console and file formats use it; use it
    /// in your own output for what people see.
    public var masked: Record {
        guard !privateNames.isEmpty else { return self }
        var record = self
        record.attributes.mask(privateNames)
        record.context.mask(privateNames)
        return record
    }

    /// Sets the common attributes, and marks which of them are private.
    package mutating func setContext(_ attributes: Attributes) {
        context = attributes
        guard case .array(let names)? = attributes[WireName.privateCommonNames.description] else { return }
        context[WireName.privateCommonNames.description] = nil
        privateNames += names.compactMap(\.text)
    }
}

extension Attributes {
    fileprivate mutating func mask(_ names: [String]) {
        for index in elements.indices where names.contains(elements[index].key) && elements[index].value != .null {
            elements[index].value = .string(Record.mask)
        }
    }
}

extension Value {
    package var text: String? { if case .string(let text) = self { text } else { nil } }
}

/// Identifies a span to others: the trace id and span id of W3C Trace Context.
public struct SpanContext: Sendable, Hashable {
    package let traceHigh: UInt64
    package let traceLow: UInt64
    package let span: UInt64

    package init(traceHigh: UInt64, traceLow: UInt64, span: UInt64) {
        self.traceHigh = traceHigh
        self.traceLow = traceLow
        self.span = span
    }

    /// Parses a `traceparent` header (W3C Trace Context, level 1), the caller's span of an incoming request. `nil` if
    /// invalid. The sampled flag is not kept.
    ///
    /// ```swift
    /// let caller = SpanContext(traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    /// ```
    public init?(traceParent: String) {
        let parts = traceParent.split(separator: "-", omittingEmptySubsequences: false)
        // Later versions may have more parts.
        guard parts.count == 4 || parts.count > 4 && parts[0] != "00", parts[0] != "ff",
            zip(parts, [2, 32, 16, 2]).allSatisfy({ $0.utf8.count == $1 && $0.utf8.allSatisfy(Self.isDigit) }),
            let high = Hex.word(parts[1].prefix(16)), let low = Hex.word(parts[1].suffix(16)),
            let span = Hex.word(parts[2]), high != 0 || low != 0, span != 0
        else { return nil }
        self.init(traceHigh: high, traceLow: low, span: span)
    }

    private static func isDigit(_ unit: UInt8) -> Bool { (0x30...0x39).contains(unit) || (0x61...0x66).contains(unit) }

    /// 32 lower-case hexadecimal digits.
    public var traceID: String { Hex.text(traceHigh) + Hex.text(traceLow) }
    /// 16 lower-case hexadecimal digits.
    public var spanID: String { Hex.text(span) }
    /// The `traceparent` header for requests that continue this span (W3C Trace Context, level 1).
    public var traceParent: String { "00-\(traceID)-\(spanID)-01" }
}
