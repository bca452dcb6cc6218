/// Merge conflict markers: `<<<<<<<`, `|||||||`, `=======` and `>>>>>>>`. A file with them is neither version, so no
/// format is read or written with them, wherever they are.
package enum ConflictMarkers {
    /// Follows the location.
    package static let message = "this is a conflict marker of a merge"
    package static let hint = "decide what the file is to say, and remove the markers"

    /// As a sentence ending.
    package static let problem = "\(message); \(hint)"

    /// The first marker's line, from 1; `nil` without one.
    package static func line(in text: some Collection<UInt8>) -> Int? {
        TextLines.split(String(decoding: text, as: UTF8.self)).firstIndex { isMarker($0) }.map { $0 + 1 }
    }

    /// Whether a line, without its end, is a marker.
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
