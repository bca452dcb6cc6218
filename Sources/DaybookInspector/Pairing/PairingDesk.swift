/// What a collector gives an inspector, so that phones can be paired with it: an address, and keys for a while.
public struct PairingDesk: Sendable {
    /// Where a device sends its records.
    public struct Address: Sendable, Hashable {
        /// The collector's address without path: `https://logs.example:4318`.
        public var collector: String
        /// Whether only programs of the collector's own machine reach it.
        public var isLocal: Bool

        /// An address.
        public init(collector: String, isLocal: Bool) {
            self.collector = collector
            self.isLocal = isLocal
        }
    }

    /// A key for sending records, for a while.
    public struct LentKey: Sendable {
        /// What is sent as `Authorization: Bearer KEY`.
        public var text: String
        /// Nanoseconds since 1970; the key opens nothing from then on.
        public var expires: Int64

        /// A key.
        public init(text: String, expires: Int64) {
            self.text = text
            self.expires = expires
        }
    }

    let address: @Sendable () -> Address
    let lend: @Sendable (_ name: String) -> LentKey?

    /// A desk.
    /// - Parameters:
    ///   - address: asked when somebody wants to pair, for a server knows its port when it runs.
    ///   - lend: a new key under a name that tells an operator whose it is; `nil` where no key is needed.
    public init(
        address: @escaping @Sendable () -> Address, lend: @escaping @Sendable (_ name: String) -> LentKey?
    ) {
        self.address = address
        self.lend = lend
    }
}
