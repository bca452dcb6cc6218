extension String {
    /// Without white space at its ends.
    var trimmed: String {
        var scalars = Substring(self).unicodeScalars
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }

    /// At most 80 characters, for use in a message.
    var clipped: String { count <= 80 ? self : prefix(79) + "…" }
}
