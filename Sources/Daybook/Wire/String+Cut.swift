extension String {
    /// The longest prefix of whole characters that takes at most `limit` UTF-8 bytes.
    package func cut(toUTF8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        guard limit > 0 else { return "" }
        var boundary = utf8.index(startIndex, offsetBy: limit)
        while boundary.samePosition(in: self) == nil { boundary = utf8.index(before: boundary) }
        return String(self[..<boundary])
    }
}
