/// An error that says how serious it is. Other errors are logged at `error`.
public protocol LeveledError: Error {
    /// The level of its records.
    var logLevel: Level { get }
}
