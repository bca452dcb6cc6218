import Daybook

/// The attribute that names a record, for the records of one stream in turn: mostly only its last digits change.
struct RecordIdentity {
    /// The attribute as a field.
    private(set) var attribute: [UInt8]
    private let stream: String
    private let tag: UInt8
    /// The numbers that have as many digits as the present one.
    private var sameLength: Range<UInt64>

    /// - Parameters:
    ///   - stream: What the number belongs to.
    ///   - tag: The tag byte of the field.
    init(stream: String, tag: UInt8) {
        self.stream = stream
        self.tag = tag
        attribute = []
        sameLength = 0..<0
    }

    /// The record's number in its stream.
    var sequence: UInt64 = 0 {
        didSet {
            guard sameLength.contains(sequence) else { return encode() }
            var rest = sequence
            var index = attribute.count - 1
            while rest > 0 {
                attribute[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
                index -= 1
            }
        }
    }

    private mutating func encode() {
        attribute = AnyValue.keyValueField(tag, WireName.uid, .string("\(stream)-\(sequence)"))
        var least: UInt64 = 1
        while least <= sequence / 10 { least *= 10 }
        let (end, isOverflow) = least.multipliedReportingOverflow(by: 10)
        sameLength = least..<(isOverflow ? .max : end)
    }
}
