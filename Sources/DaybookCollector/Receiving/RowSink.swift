import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Makes a request's rows and collects them into batches. The rules are in docs/formats/otlp.md.
struct RowSink<Record: RowRecord>: RecordSink {
    private let now: Int64
    private var assembly = BatchAssembly(Record.signal)
    private var builder = RowBuilder(Record.signal)
    private var size: StoredSize
    /// Repeated names.
    private var unread = Unread()
    private var context = (text: "", digest: "")
    /// Before the scope's first record, for which most of a scope's work is done.
    private var isNewScope = true

    /// - Parameter size: of the request, in bytes.
    private init(now: Int64, size: Int) {
        self.now = now
        self.size = StoredSize(ofRequest: size)
    }

    /// The batches of a protobuf request, ready to store.
    /// - Parameters:
    ///   - now: the time of records without one, in nanoseconds since 1970.
    ///   - unread: counts unknown fields.
    static func batches(
        ofProtobuf body: [UInt8], now: Int64, _ unread: inout Unread
    ) throws(OTLPError) -> [RecordBatch] {
        var sink = RowSink(now: now, size: body.count)
        unread.add(try OTLPRequest.read(protobuf: body, into: &sink))
        unread.add(sink.unread)
        return try sink.assembly.finish()
    }

    /// As ``batches(ofProtobuf:now:_:)``, of a JSON request.
    static func batches(ofJSON body: [UInt8], now: Int64, _ unread: inout Unread) throws(OTLPError) -> [RecordBatch] {
        var sink = RowSink(now: now, size: body.count)
        unread.add(try OTLPRequest.read(json: body, into: &sink))
        unread.add(sink.unread)
        return try sink.assembly.finish()
    }

    mutating func begin(resource: Attributes, beside: Attributes) {
        var members = resource.storable
        members.elements += beside.storable.elements
        assembly.begin(resource: lastOfEach(members), besideNames: beside.elements.map(\.key))
    }

    /// Keeps the last attribute of each name, and notes repeated names.
    private mutating func lastOfEach(_ attributes: Attributes) -> Attributes {
        let repeated = Value.object(attributes).repeatedNames
        guard !repeated.isEmpty else { return attributes }
        unread.add(namesOf: repeated)
        return attributes.lastOfEach
    }

    mutating func begin(scope: InstrumentationScope, count: Int) {
        var scope = scope.storable
        scope.attributes = lastOfEach(scope.attributes)
        assembly.begin(scope: scope, count: count)
        unread.add(assembly.scope.unread)
        isNewScope = true
    }

    mutating func take(_ record: Record) throws(OTLPError) {
        if isNewScope { builder.begin(assembly.scope) }
        isNewScope = false
        let details = record.details + record.attributes.kept
        let sorted = builder.sort(record.attributes, details: details)
        if let shared = builder.newShared() { try size.begin(shared: shared) }
        if !builder.repeatedNames.isEmpty { unread.add(namesOf: builder.repeatedNames) }
        for name in sorted.replacedNames { unread.add(namesOf: ["\(name)"]) }
        for name in record.replacedNames(sorted) { unread.add(namesOf: ["\(name)"]) }
        for name in sorted.misfitNames { unread.add("\(name) without a meaning") }
        if sorted.isUidForeign { unread.add("\(WireName.uid) is no text") }
        for value in record.attributes.nested { unread.add(namesOf: value.repeatedNames) }
        for detail in details { unread.add(namesOf: detail.value.repeatedNames) }
        let name = record.name(sorted)
        let sentTime = record.sentTime
        var row = RecordRow(
            uid: sorted.uid?.string ?? "", time: sentTime ?? now,
            kind: sorted.kind ?? record.kind(sorted),
            level: sorted.severity ?? record.level(sorted, isOwn: assembly.scope.origin != nil),
            tag: (sorted.tag ?? name).map { builder.text($0) } ?? assembly.scope.tag)
        builder.fill(&row, with: sorted, of: assembly.scope)
        record.complete(&row, with: &builder)
        if sorted.uid == nil {
            if row.context != context.text {
                context = (row.context, Digest.text(of: Array(row.context.utf8), seed: 0))
            }
            row.uid = RecordRow.digest(
                of: row, context: context.digest, sentTime: UInt64(bitPattern: sentTime ?? 0),
                position: assembly.position)
            row.isDigest = true
        }
        try size.add(row)
        assembly.add(row, isIdentified: sorted.uid != nil, hasTime: sentTime != nil)
    }
}

/// Limits the stored size of a request's rows by the size of the request.
///
/// A request states shared data once (scope name, installation, context), but every row has it: without a limit, a few
/// bytes of gzip would become gigabytes. Stores keep equal contexts once, so consecutive equal ones count once per
/// scope.
struct StoredSize {
    /// Stored bytes per request byte; JSON escapes take six.
    static let factor = 16
    /// Allowed for any request: small ones with many scopes repeat their resource.
    static let allowance = 1 << 20

    private let limit: Int
    private var bytes = 0
    private var context = ""
    /// Bytes of the next context that are already counted.
    private var counted = 0

    /// - Parameter size: of the inflated request, in bytes.
    init(ofRequest size: Int) { limit = Self.factor * size + Self.allowance }

    /// - Throws: ``OTLPError``, a limit, if the rows exceed the request's allowance.
    mutating func add(_ row: RecordRow) throws(OTLPError) {
        bytes += row.ownBytes
        if row.context != context {
            context = row.context
            bytes += max(0, context.utf8.count - counted)
        }
        counted = 0
        try check()
    }

    /// Counts the shared part of the following contexts.
    /// - Throws: as ``add(_:)``.
    mutating func begin(shared: Int) throws(OTLPError) {
        bytes += shared
        counted = shared
        try check()
    }

    private func check() throws(OTLPError) {
        guard bytes > limit else { return }
        throw OTLPError(
            "The records would take more than \(limit) bytes in the store, \(Self.factor) times what they take in the request: "
                + "what they share is too large. Send fewer records at once, or less in the resource and the scope.",
            isLimit: true)
    }
}

/// What differs between rows of logs and of spans.
protocol RowRecord: WireRecord {
    var attributes: WireAttributes { get }
    /// Fields without a column, as attributes.
    var details: [Attributes.Element] { get }
    /// Nanoseconds since 1970; `nil` if the sender set none.
    var sentTime: Int64? { get }

    /// The severity number if no attribute sets it.
    /// - Parameter isOwn: whether a Daybook sender made the record.
    func level(_ sorted: RecordAttributes, isOwn: Bool) -> Int
    /// The tag if no attribute sets it; `nil` for the scope's.
    func name(_ sorted: RecordAttributes) -> WireText?
    /// Overridden names and levels, which are not kept.
    func replacedNames(_ sorted: RecordAttributes) -> [StaticString]
    /// The kind if no attribute sets it.
    func kind(_ sorted: RecordAttributes) -> Kind
    /// Fills the columns specific to the signal: message and identifiers.
    func complete(_ row: inout RecordRow, with builder: inout RowBuilder)
}

extension InstrumentationScope {
    fileprivate var storable: InstrumentationScope {
        var scope = InstrumentationScope(
            name: name.storable, version: version.storable, attributes: attributes.storable)
        scope.beside = beside.storable
        return scope
    }
}
