import DaybookBase

/// What a body may take in memory when it is decoded, until it is stored: counted from its bytes before anything is made of
/// them (pure). It is no less than what the decoder makes, and may be more.
struct DecodingCost {
    /// Bytes that a row takes with its identity, where it waits and in the commit.
    static let row = 1_200
    /// Bytes of a member or an element, as it is read and as it is checked.
    static let value = 140
    /// How often a text is in memory: in a row and in the commit.
    static let copies = 2
    /// How often one is that is being decoded, beside.
    static let copiesAtOnce = 5
    /// Bytes that a control character of protobuf takes as JSON, in all copies.
    static let control = 6 * (copies + 1)

    /// The most records.
    private(set) var records = 0
    /// The most members and elements in memory at once.
    private(set) var values = 0
    /// Bytes that are decoded at once.
    private(set) var atOnce = 0
    private var controls = 0
    /// Bytes that each record's context may have of what records share.
    private var shared = 0
    private let bytes: Int
    /// Why it is not to be decoded at all.
    private(set) var refusal: OTLPError?

    private init(bytes: Int) { self.bytes = bytes }

    /// Bytes in all.
    var total: Int {
        let records = min(records, DecodingBudget.maximumRecords)
        let contexts = min(records * shared, StoredSize.factor * bytes + StoredSize.allowance)
        return Self.row * records + Self.value * values + Self.copies * bytes + Self.copiesAtOnce * atOnce
            + Self.control * controls + contexts
    }

    /// Of OTLP in protobuf: records are decoded one after another.
    static func protobuf(_ body: [UInt8]) -> DecodingCost {
        body.withUnsafeBytes { bytes in
            var cost = DecodingCost(bytes: bytes.count)
            // Tags and lengths are among them.
            for byte in bytes where byte < 0x20 { cost.controls += 1 }
            cost.countParts(of: ProtobufReader(bytes), depth: 0)
            cost.values = min(cost.atOnce / DecodingBudget.bytesPerValue, DecodingBudget.maximumValues)
            return cost
        }
    }

    /// Counts what lies in a request (0), a resource (1) or a scope (2), up to where it is malformed.
    private mutating func countParts(of message: ProtobufReader, depth: Int) {
        var reader = message
        while let field = try? reader.nextField() {
            guard field.wireType == .lengthDelimited else {
                guard (try? reader.skip(field)) != nil else { return }
                continue
            }
            guard let part = try? reader.message() else { return }
            // A resource's and a scope's own.
            let isShared = depth > 0 && field.number == 1
            if isShared { shared = max(shared, 2 * (reader.offset - part.offset)) }
            if depth < 2, !isShared {
                countParts(of: part, depth: depth + 1)
            } else {
                records += 1
                atOnce = max(atOnce, reader.offset - part.offset)
            }
        }
    }

    /// Of OTLP in JSON: the document is decoded whole, and its records stand at one depth.
    static func json(_ body: [UInt8]) -> DecodingCost {
        var cost = DecodingCost(bytes: body.count)
        let count = JSONParts(body)
        (cost.records, cost.values, cost.atOnce, cost.shared) = (count.records, count.values, body.count, body.count)
        cost.check(DecodingBudget.maximumJSONValues, "in one request")
        return cost
    }

    /// Of lines of JSON, which are decoded one after another.
    static func lines(_ body: [UInt8]) -> DecodingCost {
        var cost = DecodingCost(bytes: body.count)
        let count = JSONParts(body)
        (cost.records, cost.values, cost.atOnce) = (count.lines, count.fullest.values, count.longestLine)
        cost.check(DecodingBudget.maximumValues, "in line \(count.fullest.line)")
        return cost
    }

    /// Of a team's own request, which is decoded whole: JSON or a form, with JSON in its texts, escaped or in base64.
    static func request(_ body: [UInt8]) -> DecodingCost {
        var cost = DecodingCost(bytes: body.count)
        cost.atOnce = body.count
        cost.values = body.withUnsafeBufferPointer { bytes in
            var values = 1
            var run = 0
            for byte in bytes {
                run += 1
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "&"), UInt8(ascii: "%"):
                    values += 1 + Self.values(ofRun: run)
                    run = 0
                default: break
                }
            }
            return values + Self.values(ofRun: run)
        }
        cost.records = cost.values
        cost.check(DecodingBudget.maximumJSONValues, "in one request")
        return cost
    }

    /// How many values base64 may have, which hides what divides them: 4 bytes are 3, and a value takes 2.
    private static func values(ofRun count: Int) -> Int { count > 32 ? count * 3 / 8 : 0 }

    private mutating func check(_ most: Int, _ place: String) {
        guard values > most else { return }
        refusal = OTLPError("More than \(most) values \(place). Send fewer at once.", isLimit: true)
        values = 0
    }
}

/// How much there is in a text of JSON, or in one of lines of JSON, by its marks alone: as much as a reader finds up to the
/// first fault, or more.
private struct JSONParts {
    /// Documents, members and elements.
    private(set) var values = 0
    /// Objects where OTLP has its records, within six others, and values of resources.
    private(set) var records = 0
    private(set) var lines = 0
    private(set) var longestLine = 0
    /// The line with the most values, from 1.
    private(set) var fullest = (line: 1, values: 0)

    init(_ body: [UInt8]) { body.withUnsafeBufferPointer { count($0) } }

    private mutating func count(_ bytes: UnsafeBufferPointer<UInt8>) {
        var isText = false
        // Whether a container has just begun: it has a value when something stands in it.
        var isOpen = true
        var depth = 0
        var start = 0
        var before = 0
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == 0x0A {
                endLine(bytes: place - 1 - start, values: values - before)
                (start, before, isText) = (place, values, false)
                if depth == 0 { isOpen = true }
            } else if isText {
                if byte == UInt8(ascii: "\\"), place < bytes.count, bytes[place] != 0x0A { place += 1 }
                if byte == UInt8(ascii: "\"") { isText = false }
            } else if byte == 0x20 || byte == 0x0D || byte == 0x09 {
                continue
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                (depth, isOpen) = (depth - 1, false)
            } else {
                if isOpen { values += 1 }
                isOpen = false
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: ","): values += 1
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    (depth, isOpen) = (depth + 1, true)
                    if depth == 7, byte == UInt8(ascii: "{") { records += 1 }
                default: break
                }
            }
        }
        endLine(bytes: bytes.count - start, values: values - before)
    }

    private mutating func endLine(bytes: Int, values: Int) {
        lines += 1
        longestLine = max(longestLine, bytes)
        if values > fullest.values { fullest = (lines, values) }
    }
}
