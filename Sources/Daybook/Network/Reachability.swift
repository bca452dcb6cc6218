/// Says whether the device has a network, so that time without one costs no attempt.
///
/// Injected: Apple's path monitor is in `DaybookApple`; a test gives its own. Without one the pipeline takes the network
/// for reachable and finds out by trying.
public protocol Reachability: Sendable {
    /// Begins to tell: calls `changed` with what is known now, and at every change, on any thread. Called once, by the
    /// pipeline that the reachability was given to.
    /// - Parameter changed: Takes whether there is a network. Where that is not known, there is one: a wrong "no" holds
    ///   back records, a wrong "yes" costs an attempt.
    func start(_ changed: @escaping @Sendable (_ isOnline: Bool) -> Void)
}
