// Source: https://developer.apple.com/documentation/cryptokit
@_exported import Foundation

// Source: https://developer.apple.com/documentation/cryptokit/sha256
public struct SHA256: Sendable {
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest { SHA256Digest() }
}

// Source: https://developer.apple.com/documentation/cryptokit/sha256digest
public struct SHA256Digest: Sequence, Sendable {
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
}
