import DaybookJournal

/// Encodes a message, error or event as OpenTelemetry's `LogRecord`, in one pass.
///
/// Source: `opentelemetry/proto/logs/v1/logs.proto`.
enum LogRecordEncoder {
    static let timeTag: UInt8 = 1 << 3 | 1
    static let severityNumberTag: UInt8 = 2 << 3
    static let severityTextTag: UInt8 = 3 << 3 | 2
    static let bodyTag: UInt8 = 5 << 3 | 2
    static let attributeTag: UInt8 = 6 << 3 | 2
    static let traceTag: UInt8 = 9 << 3 | 2
    static let spanTag: UInt8 = 10 << 3 | 2
    static let eventNameTag: UInt8 = 12 << 3 | 2

    /// What precedes the attributes.
    struct Head {
        var time: Int64
        var level: Level
        /// The event's name, or else the attribute `daybook.tag`.
        var tag: String
        var isEvent: Bool
        var message: String?
        var span: SpanContext?
        var site: CallSite?
    }

    @inline(__always)
    fileprivate static func write(_ level: Level, to writer: inout ProtobufWriter) {
        writer.varint(field: severityNumberTag, UInt64(level.rawValue))
        writer.string(field: severityTextTag, level.severityText)
    }

    @inline(never)
    static func write(_ span: SpanContext, to writer: inout ProtobufWriter) {
        writer.identifier(field: traceTag, span.traceHigh, span.traceLow)
        writer.identifier(field: spanTag, span.span)
    }

    @_optimize(speed)
    static func encode(_ head: Head, _ fields: inout FieldEncoder, attributes: Attributes) {
        fields.writer.fixed64(field: timeTag, UInt64(bitPattern: head.time))
        write(head.level, to: &fields.writer)
        if let message = head.message { AnyValue.writeText(message, field: bodyTag, to: &fields.writer) }
        if let span = head.span { write(span, to: &fields.writer) }
        if head.isEvent { fields.writer.string(field: eventNameTag, head.tag) }
        if !attributes.isEmpty { fields.add(attributes) }
        if !head.isEvent { fields.add(WireName.tag, head.tag) }
        if let site = head.site { fields.add(site) }
    }
}

/// What all records of an event share, encoded once: severity, name, and private columns.
struct EventConstants: Sendable {
    /// Sound to share: written only in `init`; freed, if at all, by whoever created the constants.
    nonisolated(unsafe) let bytes: UnsafeMutableRawPointer
    let count: Int
    /// For the records' frames.
    let flags: FrameFlags

    init(tag: String, level: Level, privateColumns: [String] = []) {
        let names =
            privateColumns.isEmpty
            ? []
            : AnyValue.keyValueField(
                LogRecordEncoder.attributeTag, WireName.privateNames.description,
                .array(privateColumns.map { .string($0) }))
        let capacity = tag.utf8.count + names.count + 32
        bytes = .allocate(byteCount: capacity, alignment: 8)
        flags = .record.union(.priority(of: level))
        var writer = ProtobufWriter(
            UnsafeMutableRawBufferPointer(start: bytes, count: capacity), startingAt: bytes)
        LogRecordEncoder.write(level, to: &writer)
        writer.string(field: LogRecordEncoder.eventNameTag, tag)
        if writer.reserve(names.count) {
            names.withUnsafeBytes { $0.baseAddress.map { writer.bytes($0, names.count) } }
        }
        count = writer.count
    }
}

/// What precedes an event's attributes and span.
struct EventHead {
    let constants: EventConstants
    let time: Int64

    @inline(__always)
    func encode(_ fields: inout FieldEncoder) {
        guard fields.writer.reserve(9 &+ constants.count) else { return }
        fields.writer.byte(LogRecordEncoder.timeTag)
        fields.writer.fixed64(UInt64(bitPattern: time))
        fields.writer.bytes(constants.bytes, constants.count)
    }
}

extension Level {
    /// OpenTelemetry's short name.
    var severityText: StaticString {
        switch self {
        case .trace: "TRACE"
        case .debug: "DEBUG"
        case .info: "INFO"
        case .warning: "WARN"
        case .error: "ERROR"
        case .fatal: "FATAL"
        }
    }
}

extension FieldEncoder {
    /// OpenTelemetry semantic conventions, *Code attributes*.
    @_optimize(speed)
    mutating func add(_ site: CallSite) {
        add(WireName.file, site.fileID)
        add(WireName.function, site.function)
        add(WireName.line, Int64(site.line))
        add(WireName.column, Int64(site.column))
    }
}

/// Where a record was logged.
public struct CallSite: Sendable {
    /// `Module/File.swift`.
    public var fileID: StaticString
    /// `function(label:)`.
    public var function: StaticString
    /// From 1.
    public var line: UInt32
    /// From 1, in UTF-8 bytes.
    public var column: UInt32

    /// Creates a source location, for your own wrappers of log calls.
    ///
    /// ```swift
    /// func here(
    ///     fileID: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    /// ) -> CallSite {
    ///     CallSite(fileID: fileID, function: function, line: line, column: column)
    /// }
    /// ```
    @inlinable
    public init(fileID: StaticString, function: StaticString, line: UInt32, column: UInt32) {
        self.fileID = fileID
        self.function = function
        self.line = line
        self.column = column
    }
}

extension Record {
    mutating func place(at site: CallSite?) {
        guard let site else { return }
        file = site.fileID.description
        function = site.function.description
        line = Int(clamping: site.line)
        column = Int(clamping: site.column)
    }
}
