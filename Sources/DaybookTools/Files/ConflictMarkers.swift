/// What a merge leaves in a file where two have changed the same lines: `<<<<<<<`, `|||||||`, `=======` and `>>>>>>>`. Such a
/// file is neither's, so that no format is read or written with them, whatever they stand in.
package enum ConflictMarkers {
    /// What is said of a line, behind its place.
    package static let message = "this is a conflict marker of a merge"
    /// What to do.
    package static let hint = "decide what the file is to say, and remove the markers"

    /// Both, as the end of a sentence.
    package static let problem = "\(message); \(hint)"

    /// The first line of a text, from 1, that is one; `nil` where none is.
    package static func line(in text: some Collection<UInt8>) -> Int? {
        TextLines.split(String(decoding: text, as: UTF8.self)).firstIndex { isMarker($0) }.map { $0 + 1 }
    }

    /// Whether a line, without its end, is one.
    package static func isMarker(_ line: some StringProtocol) -> Bool {
        guard let sign = line.utf8.first, line.utf8.prefix(8).prefix(while: { $0 == sign }).count == 7 else {
            return false
        }
        let rest = line.utf8.dropFirst(7)
        return switch sign {
        case UInt8(ascii: "="): rest.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"): rest.isEmpty || rest.first == 0x20
        default: false
        }
    }
}
