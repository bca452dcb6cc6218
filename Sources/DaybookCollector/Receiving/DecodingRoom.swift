import DaybookBase

/// Schedules decoding. Small and large bodies have separate processors and memory: small ones never wait for large
/// ones, and large ones never starve. Thread-safe.
package struct DecodingRoom: Sendable {
    private struct Part: Sendable {
        /// Turns for decoding and other CPU-bound work.
        let turns: DecodingTurns
        /// Bytes of decoded data until it is stored.
        let memory: DecodingTurns
    }

    /// The most bytes of a small body, decoded.
    static let small = 16 << 20

    private let small: Part
    private let large: Part

    /// - Parameters:
    ///   - processors: of the machine. Large bodies leave one free if there are several.
    ///   - memory: bytes for decoded data. Default: 192 MiB; a quarter is for small bodies.
    package init(processors: Int, memory: Int = 192 << 20) {
        small = Part(turns: DecodingTurns(room: processors), memory: DecodingTurns(room: memory / 4))
        large = Part(turns: DecodingTurns(room: processors - 1), memory: DecodingTurns(room: memory - memory / 4))
    }

    func inflate<Value: Sendable, Failure: Error>(
        for key: String?, at address: String, _ work: () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await small.turns.run(for: key, at: address, work)
    }

    /// Decodes a body on the sender's turn, and reserves its memory until it is stored.
    /// - Parameters:
    ///   - cost: estimated bytes; capped at all there are.
    ///   - decode: must not block.
    ///   - store: receives the decoded body.
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
