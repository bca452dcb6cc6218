import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Makes the rows of a request's records, and of these the batches that are stored. The rules are in docs/formats/otlp.md.
struct RowSink<Record: RowRecord>: RecordSink {
    private let now: Int64
    private var assembly = BatchAssembly(Record.signal)
    private var making = RowMaking(Record.signal)
    private var size: StoredSize
    /// Names that are given twice.
    private var unread = Unread()
    /// The context of the row before, and its digest.
    private var context = (text: "", digest: "")
    /// Whether the scope has had no record yet: most work for a scope is done for its first.
    private var isNewScope = true

    /// - Parameter size: bytes of the request.
    private init(now: Int64, size: Int) {
        self.now = now
        self.size = StoredSize(ofRequest: size)
    }

    /// The batches of a request in protobuf, ready to be stored.
    /// - Parameters:
    ///   - now: the time of records without one, in nanoseconds since 1970.
    ///   - unread: counts what is not known.
    static func batches(
        ofProtobuf body: [UInt8], now: Int64, _ unread: inout Unread
    ) throws(OTLPError) -> [RecordBatch] {
        var sink = RowSink(now: now, size: body.count)
        unread.add(try OTLPRequest.read(protobuf: body, into: &sink))
        unread.add(sink.unread)
        return try sink.assembly.finish()
    }

    /// The batches of a request in JSON, as those of one in protobuf.
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

    /// Attributes of which the last of each name counts; names that are given twice are noted.
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
        if isNewScope { making.begin(assembly.scope) }
        isNewScope = false
        let details = record.details + record.attributes.kept
        let sorted = making.sort(record.attributes, details: details)
        if let shared = making.newShared() { try size.begin(shared: shared) }
        if !making.repeatedNames.isEmpty { unread.add(namesOf: making.repeatedNames) }
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
            tag: (sorted.tag ?? name).map { making.text($0) } ?? assembly.scope.tag)
        making.fill(&row, with: sorted, of: assembly.scope)
        record.complete(&row, with: &making)
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

/// What the rows of a request take in a store, which is bounded by the size of the request itself.
///
/// A request says once what its records share, and each row has it: the name of the scope, the installation, the context.
/// Without a bound some bytes of gzip would become gigabytes. Stores keep a context once, so one that comes again and
/// again counts once; in each scope anew, for it is made anew there.
struct StoredSize {
    /// A row may take so many times what its record takes in the request: escapes of JSON take six.
    static let factor = 16
    /// So much is allowed beside: small requests of many scopes repeat what their resource says.
    static let allowance = 1 << 20

    private let limit: Int
    private var bytes = 0
    private var context = ""
    /// Of the next context, what was counted already.
    private var counted = 0

    /// - Parameter size: bytes of the request after inflating.
    init(ofRequest size: Int) { limit = Self.factor * size + Self.allowance }

    /// Counts a row.
    /// - Throws: ``OTLPError``, a limit, where the rows so far take more than their request may.
    mutating func add(_ row: RecordRow) throws(OTLPError) {
        bytes += row.ownBytes
        if row.context != context {
            context = row.context
            bytes += max(0, context.utf8.count - counted)
        }
        counted = 0
        try check()
    }

    /// Counts what the contexts of the rows that follow share.
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

/// What is particular to the rows of logs and of spans.
protocol RowRecord: WireRecord {
    var attributes: WireAttributes { get }
    /// What the record has and a row has no column for, as attributes.
    var details: [Attributes.Element] { get }
    /// Nanoseconds since 1970; `nil` where the sender gave none.
    var sentTime: Int64? { get }

    /// The severity number of a record whose attributes tell none.
    /// - Parameter isOwn: whether a Daybook sender made it.
    func level(_ sorted: RecordAttributes, isOwn: Bool) -> Int
    /// The tag of a record whose attributes tell none; `nil` for the scope's.
    func name(_ sorted: RecordAttributes) -> WireText?
    /// What gives way to another name or level of the record, and is not kept.
    func replacedNames(_ sorted: RecordAttributes) -> [StaticString]
    /// The kind of a record whose attributes tell none.
    func kind(_ sorted: RecordAttributes) -> Kind
    /// Gives the row what only such a record has: its message and identifiers.
    func complete(_ row: inout RecordRow, with making: inout RowMaking)
}

extension InstrumentationScope {
    /// The scope with storable texts.
    fileprivate var storable: InstrumentationScope {
        var scope = InstrumentationScope(
            name: name.storable, version: version.storable, attributes: attributes.storable)
        scope.beside = beside.storable
        return scope
    }
}
