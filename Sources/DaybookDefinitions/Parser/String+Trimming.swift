extension String {
    /// Without white space at its ends.
    var trimmed: String {
        // Nothing of ASCII above the space is white.
        if let first = utf8.first, let last = utf8.last, (0x21..<0x7F).contains(first), (0x21..<0x7F).contains(last) {
            return self
        }
        var scalars = Substring(self).unicodeScalars
        while let first = scalars.first, first.isWhiteSpace { scalars.removeFirst() }
        while let last = scalars.last, last.isWhiteSpace { scalars.removeLast() }
        return String(scalars)
    }

    /// At most 80 characters, for use in a message.
    var clipped: String { count <= 80 ? self : prefix(79) + "…" }
}
