/// What has been switched of an output while the pipeline runs.
struct OutputSwitch: Sendable, Hashable {
    var isOn = true
    /// In place of its routes' levels.
    var level: Level?

    /// The level of a route to the output, or `nil` if it takes nothing.
    func level(of route: Level) -> Level? { isOn ? level ?? route : nil }
}
