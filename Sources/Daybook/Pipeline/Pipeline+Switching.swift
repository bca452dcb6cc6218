extension Pipeline {
    /// Switches an output on or off for the records logged from now on, on every thread; what was recorded before is
    /// still delivered. Not kept across launches. Log calls take no lock for it.
    /// - Parameters:
    ///   - isEnabled: Whether it takes records.
    ///   - output: The output's id.
    /// - Throws: ``PipelineError`` (`unknownOutput`), which names the outputs there are.
    public func setEnabled(_ isEnabled: Bool, output: String) throws {
        try change(output) { $0.isOn = isEnabled }
    }

    /// Sets the level of an output for the records logged from now on, in place of the levels of all its routes.
    /// - Parameters:
    ///   - level: The least level it takes; `nil` for what its routes say.
    ///   - output: The output's id.
    /// - Throws: ``PipelineError`` (`unknownOutput`), which names the outputs there are.
    public func setLevel(_ level: Level?, output: String) throws {
        try change(output) { $0.level = level }
    }

    /// Whether an output is switched on; `nil` if the pipeline has none of this id.
    public func isEnabled(output: String) -> Bool? { core.switchboard.current(output)?.isOn }

    /// The level that was set for an output; `nil` if its routes' own apply, or if the pipeline has none of this id.
    public func level(output: String) -> Level? { core.switchboard.current(output)?.level }

    private func change(_ output: String, _ change: (inout OutputSwitch) -> Void) throws {
        try core.switchboard.change(output, change)
        InstalledPipeline.followThreshold()
    }
}
