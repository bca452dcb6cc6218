/// Why an app could not be paired.
public struct PairingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What it was.
    public enum Code: Sendable, Hashable {
        /// No answer came: another network, a certificate that the device does not trust, or no collector.
        case notReached
        /// The code is used up, too old or wrong: a new one is needed.
        case refused
        /// The answer was not that of a collector.
        case notUnderstood
    }

    /// What it was.
    public var code: Code
    /// A sentence for the user's screen, with what to do.
    public var description: String
}
