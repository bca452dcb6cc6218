import DaybookBase

// Not in the file of the types: a type in the file of an async function is linked into every program.
extension Pipeline {
    /// The records that an output's receiver permanently refused, oldest first. The attribute `daybook.refused` says
    /// why. Empty after ``shutdown(deadline:)``.
    /// - Parameters:
    ///   - output: The output's id.
    ///   - limit: Most records to return. Default 100.
    /// - Throws: ``PipelineError`` (`unknownOutput`).
    public func quarantinedRecords(output: String, limit: Int = 100) async throws -> [Record] {
        try await quarantine(.show(limit: limit), output).records
    }

    /// Sends an output's refused records again, after all others and with new numbers, once the receiver has been
    /// fixed.
    /// - Parameter output: The output's id.
    /// - Returns: The number of records.
    /// - Throws: ``PipelineError`` (`unknownOutput`).
    @discardableResult
    public func resendQuarantined(output: String) async throws -> Int {
        try await quarantine(.resend, output).count
    }

    /// Discards an output's refused records; they count as dropped, *rejected*.
    /// - Parameter output: The output's id.
    /// - Returns: The number of records.
    /// - Throws: ``PipelineError`` (`unknownOutput`).
    @discardableResult
    public func discardQuarantined(output: String) async throws -> Int {
        try await quarantine(.discard, output).count
    }

    private func quarantine(_ wish: QuarantineWish, _ output: String) async throws -> QuarantineAnswer {
        let outputs = core.switchboard.table.outputs.map(\.id)
        guard outputs.contains(output) else { throw PipelineError.unknownOutput(output, known: outputs) }
        return await withCheckedContinuation { continuation in
            if !core.drain.ask(.quarantine(wish, output: output, continuation)) {
                continuation.resume(returning: QuarantineAnswer())
            }
        }
    }
}
