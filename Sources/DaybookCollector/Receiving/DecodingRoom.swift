import DaybookBase

/// Where bodies are decoded: small and large ones apart, each with processors and memory of their own, so that a small one
/// waits for no large one, and a large one is never overtaken for ever. Safe to share between threads.
package struct DecodingRoom: Sendable {
    private struct Part: Sendable {
        /// Turns at decoding, and at all else that takes a processor for long.
        let turns: DecodingTurns
        /// Bytes for what is decoded, until it is stored.
        let memory: DecodingTurns
    }

    /// Bytes that a small body takes at most, decoded.
    static let small = 16 << 20

    private let small: Part
    private let large: Part

    /// - Parameters:
    ///   - processors: how many the machine has. One is left free by large bodies, where there are several.
    ///   - memory: bytes for what is decoded. Default: 192 MiB, of which small bodies have a quarter.
    package init(processors: Int, memory: Int = 192 << 20) {
        small = Part(turns: DecodingTurns(room: processors), memory: DecodingTurns(room: memory / 4))
        large = Part(turns: DecodingTurns(room: processors - 1), memory: DecodingTurns(room: memory - memory / 4))
    }

    /// Works on a body as it was sent, when it is this sender's turn.
    func inflate<Value: Sendable, Failure: Error>(
        for key: String?, at address: String, _ work: () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await small.turns.run(for: key, at: address, work)
    }

    /// Decodes a body when it is this sender's turn, and keeps room for it until it is stored.
    /// - Parameters:
    ///   - cost: bytes that it may take; more than there are has all of them.
    ///   - decode: does not wait for anything.
    ///   - store: gets what was decoded.
    func run<Decoded: Sendable, Value: Sendable, Failure: Error>(
        _ cost: Int, for key: String?, at address: String, decode: () throws(Failure) -> Decoded,
        store: (consuming Decoded) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let part = cost <= Self.small ? small : large
        return try await part.memory.run(cost, for: key, at: address) { () async throws(Failure) in
            try await store(try await part.turns.run(for: key, at: address, decode))
        }
    }
}
