extension [UInt8] {
    /// Appends a base-128 number.
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a length-delimited field whose number is at most 15, so that its tag is one byte.
    mutating func appendField(_ tag: UInt8, _ bytes: some Collection<UInt8>) {
        append(tag)
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
