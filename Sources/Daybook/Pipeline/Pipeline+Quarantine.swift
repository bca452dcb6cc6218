extension Pipeline {
    /// Records that an output's receiver refused for good, the oldest first; each says why in the attribute
    /// `daybook.refused`. Empty after ``shutdown(deadline:)``.
    /// - Parameters:
    ///   - output: The output's id.
    ///   - limit: At most so many. Default 100.
    /// - Throws: ``PipelineError`` (`unknownOutput`).
    public func quarantinedRecords(output: String, limit: Int = 100) async throws -> [Record] {
        try await quarantine(.show(limit: limit), output).records
    }

    /// Sends an output's refused records again, as new ones behind all others: when the receiver has been mended.
    /// - Parameter output: The output's id.
    /// - Returns: How many.
    /// - Throws: ``PipelineError`` (`unknownOutput`).
    @discardableResult
    public func resendQuarantined(output: String) async throws -> Int {
        try await quarantine(.resend, output).count
    }

    /// Gives up an output's refused records; they count as dropped, *rejected*.
    /// - Parameter output: The output's id.
    /// - Returns: How many.
    /// - Throws: ``PipelineError`` (`unknownOutput`).
    @discardableResult
    public func discardQuarantined(output: String) async throws -> Int {
        try await quarantine(.discard, output).count
    }

    private func quarantine(_ wish: QuarantineWish, _ output: String) async throws -> QuarantineAnswer {
        let outputs = core.switchboard.withTable { $0.outputs.map(\.id) }
        guard outputs.contains(output) else { throw PipelineError.unknownOutput(output, known: outputs) }
        return await withCheckedContinuation { continuation in
            if !core.drain.ask(.quarantine(wish, output: output, continuation)) {
                continuation.resume(returning: QuarantineAnswer())
            }
        }
    }
}

/// What may be asked of refused records.
enum QuarantineWish: Sendable {
    case show(limit: Int)
    case resend
    case discard
}

/// What came of it.
struct QuarantineAnswer: Sendable {
    var records: [Record] = []
    var count = 0
}
