/// U+FEFF at the start of a text, and other signs of its encoding.
package enum ByteOrderMark {
    package static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether bytes begin with the UTF-8 mark.
    package static func begins(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: utf8) }

    /// Bytes without the UTF-8 mark.
    package static func skipped(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes.dropFirst(begins(bytes) ? utf8.count : 0)
    }

    /// The name of an encoding other than UTF-8, by its mark or by the zeros beside its first letter (RFC 4627, section
    /// 3); `nil` if it may be UTF-8.
    package static func otherEncoding(of bytes: some Collection<UInt8>) -> String? {
        switch Array(bytes.prefix(4)) {
        case [0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]: "UTF-32"
        case let start where start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]): "UTF-16"
        case let start where start.count == 4 && (start[..<3] == [0, 0, 0] || start[1...] == [0, 0, 0]): "UTF-32"
        case let start where start.count > 1 && (start[0] == 0) != (start[1] == 0): "UTF-16"
        default: nil
        }
    }
}
