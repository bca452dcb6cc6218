import Daybook

// Apart from the types that they are about: a type in the file of an async function keeps it in every program.
extension Pipeline {
    /// Pairs the app with the desktop inspector that shows a code: redeems it, and streams what is logged from now on.
    /// - Parameters:
    ///   - output: An output of this pipeline.
    ///   - link: The link on the desktop's screen; the user has agreed to its collector.
    ///   - build: The app's version, for the board of runs. Default: none.
    ///   - device: The device's name, for the list of keys. Default: none.
    ///   - transport: Sends the request. Default: `DefaultTransport`.
    /// - Returns: what the desktop passed on.
    /// - Throws: ``PairingError``, or `PipelineError` (`unknownOutput`) if the pipeline has no such output.
    public func pair(
        _ output: PairedOutput, with link: PairingLink, build: String? = nil, device: String? = nil,
        transport: any HTTPTransport = DefaultTransport()
    ) async throws -> Pairing {
        // A pipeline without the output is a mistake in the code: found before the code on the screen is used up.
        try setEnabled(false, output: output.id)
        let pairing = try await Pairing.redeem(
            link, installation: installation, build: build, device: device, transport: transport)
        output.use(pairing)
        try setEnabled(true, output: output.id)
        // An output that paused over a key of yesterday tries again.
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
