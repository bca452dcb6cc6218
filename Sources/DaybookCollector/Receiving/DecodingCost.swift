import DaybookBase

/// An upper bound on a decoded body's memory until it is stored, estimated from its bytes before decoding (pure).
struct DecodingCost {
    /// Bytes per row, with its identity, in the queue and the commit.
    static let row = 1_200
    /// Bytes per member or element, for reading and validation.
    static let value = 140
    /// Copies of each text: row and commit.
    static let copies = 2
    /// Additional copies of the text being decoded.
    static let copiesAtOnce = 5
    /// Bytes that a protobuf control character takes as JSON, in all copies.
    static let control = 6 * (copies + 1)

    /// An upper bound.
    private(set) var records = 0
    /// The most members and elements in memory at once.
    private(set) var values = 0
    /// Bytes decoded at once.
    private(set) var atOnce = 0
    private var controls = 0
    /// Bytes of shared data that each record's context may repeat.
    private var shared = 0
    private let bytes: Int
    /// Why not to decode it at all.
    private(set) var refusal: OTLPError?

    private init(bytes: Int) { self.bytes = bytes }

    /// In bytes.
    var total: Int {
        let records = min(records, DecodingBudget.maximumRecords)
        let contexts = min(records * shared, StoredSize.factor * bytes + StoredSize.allowance)
        return Self.row * records + Self.value * values + Self.copies * bytes + Self.copiesAtOnce * atOnce
            + Self.control * controls + contexts
    }

    /// OTLP in protobuf: records are decoded one by one.
    static func protobuf(_ body: [UInt8]) -> DecodingCost {
        body.withUnsafeBytes { bytes in
            var cost = DecodingCost(bytes: bytes.count)
            // Overestimates: tags and lengths match, too.
            for byte in bytes where byte < 0x20 { cost.controls += 1 }
            cost.countParts(of: ProtobufReader(bytes), depth: 0)
            cost.values = min(cost.atOnce / DecodingBudget.bytesPerValue, DecodingBudget.maximumValues)
            return cost
        }
    }

    /// Counts the parts of a request (0), resource (1) or scope (2), up to the first malformed one.
    private mutating func countParts(of message: ProtobufReader, depth: Int) {
        var reader = message
        while let field = try? reader.nextField() {
            guard field.wireType == .lengthDelimited else {
                guard (try? reader.skip(field)) != nil else { return }
                continue
            }
            guard let part = try? reader.message() else { return }
            // The resource's or scope's own description.
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

    /// OTLP in JSON: the document is decoded whole; its records are at one depth.
    static func json(_ body: [UInt8]) -> DecodingCost {
        var cost = DecodingCost(bytes: body.count)
        let count = JSONParts(body)
        (cost.records, cost.values, cost.atOnce, cost.shared) = (count.records, count.values, body.count, body.count)
        cost.check(DecodingBudget.maximumJSONValues, "in one request")
        return cost
    }

    /// JSON lines, decoded one by one.
    static func lines(_ body: [UInt8]) -> DecodingCost {
        var cost = DecodingCost(bytes: body.count)
        let count = JSONParts(body)
        (cost.records, cost.values, cost.atOnce) = (count.lines, count.fullest.values, count.longestLine)
        cost.check(DecodingBudget.maximumValues, "in line \(count.fullest.line)")
        return cost
    }

    /// A team's own request, decoded whole: JSON or a form, whose strings may contain escaped or base64 JSON.
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

    /// The most values in a base64 run, whose separators are hidden: 4 bytes decode to 3, and a value takes 2.
    private static func values(ofRun count: Int) -> Int { count > 32 ? count * 3 / 8 : 0 }

    private mutating func check(_ most: Int, _ place: String) {
        guard values > most else { return }
        refusal = OTLPError("More than \(most) values \(place). Send fewer at once.", isLimit: true)
        values = 0
    }
}

/// Counts the parts of JSON or JSON lines by punctuation alone: at least as many as a reader finds before the first
/// error.
private struct JSONParts {
    /// Documents, members and elements.
    private(set) var values = 0
    /// Objects at the depth of OTLP's records, inside six others; includes values of resources.
    private(set) var records = 0
    private(set) var lines = 0
    private(set) var longestLine = 0
    /// The line with the most values, from 1.
    private(set) var fullest = (line: 1, values: 0)

    init(_ body: [UInt8]) { body.withUnsafeBufferPointer { count($0) } }

    private mutating func count(_ bytes: UnsafeBufferPointer<UInt8>) {
        var isText = false
        // Just after an opening bracket: any content adds a value.
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
