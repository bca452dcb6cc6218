import Daybook

#if canImport(Network)
    import Daybook
    import DaybookBase
    import Dispatch
    import Foundation
    import Network

    /// Reports the device's network (by Apple's path monitor) and power: `options.conditions = DeviceConditions()`.
    ///
    /// Safe to share between threads; for one pipeline.
    public final class DeviceConditions: ConditionSource {
        private let monitor = NWPathMonitor()
        private let known = Mutex(KnownConditions())
        private let powerChanges = Mutex<NotificationToken?>(nil)
        /// Serial, so that reports come in order.
        private let queue = DispatchQueue(label: "daybook.conditions", qos: .utility)

        /// Creates a source that follows the device's network and Low Power Mode.
        ///
        /// ```swift
        /// var options = PipelineOptions()
        /// options.conditions = DeviceConditions()
        /// ```
        public init() {}

        deinit { monitor.cancel() }

        public func start(_ changed: @escaping @Sendable (_ conditions: DeliveryConditions) -> Void) {
            let token = NotificationToken(.NSProcessInfoPowerStateDidChange) { [weak self] in
                self?.queue.async { [weak self] in self?.notePower(changed) }
            }
            powerChanges.withLock { $0 = token }
            monitor.pathUpdateHandler = { [weak self] path in
                guard let self else { return }
                tell(changed) {
                    // Trying may establish a path that requires a connection first, such as a VPN on demand.
                    $0.network = NetworkConditions(
                        isOffline: path.status == .unsatisfied, isExpensive: path.isExpensive,
                        isConstrained: path.isConstrained)
                }
            }
            monitor.start(queue: queue)
            queue.async { [weak self] in self?.notePower(changed) }
        }

        private func notePower(_ changed: (DeliveryConditions) -> Void) {
            tell(changed) { $0.isLowPower = ProcessInfo.processInfo.isLowPowerModeEnabled }
        }

        private func tell(_ changed: (DeliveryConditions) -> Void, _ change: (inout KnownConditions) -> Void) {
            let news = known.withLock { known in
                change(&known)
                return known.news()
            }
            if let news { changed(news) }
        }
    }
#endif

package struct NetworkConditions: Sendable, Hashable {
    package var isOffline: Bool
    package var isExpensive: Bool
    package var isConstrained: Bool

    package init(isOffline: Bool, isExpensive: Bool, isConstrained: Bool) {
        self.isOffline = isOffline
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}

/// Combines two sources of conditions. Pure: its owner queries them.
///
/// Reports nothing before both are known: otherwise a waiting route would send in between.
package struct KnownConditions: Sendable {
    package var network: NetworkConditions?
    package var isLowPower: Bool?
    private var told: DeliveryConditions?

    package init() {}

    /// The conditions to report now; `nil` if unchanged.
    package mutating func news() -> DeliveryConditions? {
        guard let network, let isLowPower else { return nil }
        var conditions: DeliveryConditions = []
        if network.isOffline { conditions.insert(.offline) }
        if network.isExpensive { conditions.insert(.expensive) }
        if network.isConstrained { conditions.insert(.constrained) }
        if isLowPower { conditions.insert(.lowPower) }
        guard conditions != told else { return nil }
        told = conditions
        return conditions
    }
}
