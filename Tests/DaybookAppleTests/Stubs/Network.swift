// Source: Apple's documentation of the framework `Network`.
import Dispatch
import Foundation

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
    // Source: https://developer.apple.com/documentation/network/nwpath
    public var isExpensive: Bool { false }
    public var isConstrained: Bool { false }
}

public final class NWPathMonitor: Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { nil }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}

#if !canImport(Darwin)
    // Foundation of other systems knows neither.
    // Source: https://developer.apple.com/documentation/foundation/processinfo/islowpowermodeenabled
    extension ProcessInfo {
        public var isLowPowerModeEnabled: Bool { false }
    }

    // Source: https://developer.apple.com/documentation/foundation/nsnotification/name/nsprocessinfopowerstatedidchange
    extension Notification.Name {
        public static let NSProcessInfoPowerStateDidChange = Notification.Name("power")
    }
#endif
