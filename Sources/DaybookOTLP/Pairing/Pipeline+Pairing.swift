import Daybook

// Not in the file of the types: an async function links the types of its file into every program.
extension Pipeline {
    /// Pairs the app with a desktop inspector: redeems its code, and streams what is logged from now on.
    /// - Parameters:
    ///   - output: An output of this pipeline.
    ///   - link: The link on the desktop's screen; the user has agreed to its collector.
    ///   - build: The app's version, for the board of runs. Default: none.
    ///   - device: The device's name, for the list of keys. Default: none.
    ///   - transport: Default: `DefaultTransport`.
    /// - Returns: What the desktop passed on.
    /// - Throws: ``PairingError``, or `PipelineError` (`unknownOutput`) if the pipeline has no such output.
    public func pair(
        _ output: PairedOutput, with link: PairingLink, build: String? = nil, device: String? = nil,
        transport: any HTTPTransport = DefaultTransport()
    ) async throws -> Pairing {
        // Detects a missing output, a programming error, before the code is used up.
        try setEnabled(false, output: output.id)
        let pairing = try await Pairing.redeem(
            link, installation: installation, build: build, device: device, transport: transport)
        output.use(pairing)
        try setEnabled(true, output: output.id)
        // Retries an output paused because of an expired key.
        try? await flush(deadline: .seconds(5))
        return pairing
    }

    /// Ends a pairing: nothing more is sent.
    /// - Throws: `PipelineError` (`unknownOutput`) if the pipeline has no such output.
    public func unpair(_ output: PairedOutput) throws {
        try setEnabled(false, output: output.id)
        output.use(nil)
    }
}
