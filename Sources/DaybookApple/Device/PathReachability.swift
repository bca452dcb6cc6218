#if canImport(Network)
    import Daybook
    import Dispatch
    import Network

    /// Tells a pipeline of the device's network by Apple's path monitor: `options.reachability = PathReachability()`.
    ///
    /// Safe to share between threads; for one pipeline.
    public final class PathReachability: Reachability {
        private let monitor = NWPathMonitor()

        public init() {}

        deinit { monitor.cancel() }

        public func start(_ changed: @escaping @Sendable (_ isOnline: Bool) -> Void) {
            // A path that needs a connection first, such as a VPN on demand, may get one by the attempt.
            monitor.pathUpdateHandler = { path in changed(path.status != .unsatisfied) }
            monitor.start(queue: DispatchQueue(label: "daybook.reachability", qos: .utility))
        }
    }
#endif
