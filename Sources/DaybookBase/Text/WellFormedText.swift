extension String {
    /// The text of bytes that are UTF-8; `nil` if they are not. The standard library's own begins with iOS 18.
    ///
    /// Decoding replaces each malformed sequence by U+FFFD, whose bytes are others than those it replaces: the text has
    /// the bytes that it was made of only if these were UTF-8.
    package init?(wellFormed bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
