/// Unicode's Stream-Safe Text Format: at most 30 marks in a row, with U+034F (combining grapheme joiner) between longer
/// runs.
///
/// Canonical comparison sorts each run of marks, as Swift does to compare or hash a `String`: 60,000 marks, 200 bytes
/// of gzip, take it seconds. No language needs more than a few. Source: UAX #15, section 13.
package enum StreamSafeText {
    package static let mostMarks = 30
    /// A mark has at least two bytes, none of them ASCII.
    private static let shortestRow = 2 * (mostMarks + 1)

    /// Whether a run of non-ASCII bytes is long enough for too many marks. Of ASCII text it reads every 62nd byte.
    static func mayHaveTooManyMarks(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while bytes.count - start >= shortestRow {
            var place = start + shortestRow - 1
            while place >= start, bytes[place] >= 0x80 { place -= 1 }
            if place < start { return true }
            start = place + 1
        }
        return false
    }

    /// `nil` if no joiner is needed.
    fileprivate static func joined(_ text: String) -> String? {
        var result = String.UnicodeScalarView()
        var isChanged = false
        var row = 0
        for (place, scalar) in zip(text.unicodeScalars.indices, text.unicodeScalars) {
            let marks = marks(scalar)
            row = marks > 0 ? row + marks : 0
            if row > mostMarks {
                if !isChanged { result.append(contentsOf: text.unicodeScalars[..<place]) }
                isChanged = true
                result.append("\u{34F}")
                row = marks
            }
            if isChanged { result.append(scalar) }
        }
        return isChanged ? String(result) : nil
    }

    /// How many marks a scalar becomes when normalised.
    private static func marks(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case ..<0x300, 0x3100...0xA66E, 0xAC00...0xFB1D: 0
        case 0x344, 0xF73, 0xF75, 0xF81: 2
        case 0xFF9E, 0xFF9F: 1
        default: scalar.properties.canonicalCombiningClass == .notReordered ? 0 : 1
        }
    }
}

extension String {
    /// A text from outside: malformed UTF-8 becomes U+FFFD, and marks are bounded (``StreamSafeText``).
    package init(streamSafe bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        makeStreamSafe()
    }

    package var streamSafe: String {
        var text = self
        text.makeStreamSafe()
        return text
    }

    /// - Returns: Whether there were too many marks.
    @discardableResult
    package mutating func makeStreamSafe() -> Bool {
        let isDoubtful = withUTF8 { StreamSafeText.mayHaveTooManyMarks(UnsafeRawBufferPointer($0)) }
        guard isDoubtful, let joined = StreamSafeText.joined(self) else { return false }
        self = joined
        return true
    }
}
