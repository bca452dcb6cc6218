extension String {
    /// `nil` if the bytes are not UTF-8. The standard library's own requires iOS 18.
    ///
    /// Decoding replaces malformed sequences by U+FFFD, so the text has the same bytes only if these were UTF-8.
    package init?(wellFormed bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
