#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

extension String {
    /// Whether the text contains another, nonempty one, compared bytewise: `contains` compares characters, a hundred
    /// times as slowly.
    package func hasBytes(of other: String) -> Bool {
        var (text, other) = (self, other)
        return other.withUTF8 { other in
            text.withUTF8 { text in
                var place = 0
                // The bytes stay valid during the call, and all accesses are within their counts.
                while let start = text.baseAddress, let sought = other.baseAddress, text.count - place >= other.count,
                    let found = memchr(start + place, Int32(other[0]), text.count - place - other.count + 1)
                {
                    if memcmp(found, sought, other.count) == 0 { return true }
                    place = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
                }
                return false
            }
        }
    }
}
