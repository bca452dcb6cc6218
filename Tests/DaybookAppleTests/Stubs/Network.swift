// Source: https://developer.apple.com/documentation/network
import Dispatch
import Foundation

// Source: https://developer.apple.com/documentation/network/nwpath
@available(iOS 12.0, *)
public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
    // Source: https://developer.apple.com/documentation/network/nwpath
    public var isExpensive: Bool { false }
    public var isConstrained: Bool { false }
}

// Source: https://developer.apple.com/documentation/network/nwinterface
@available(iOS 12.0, *)
public struct NWInterface: Sendable {
    public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

// Source: https://developer.apple.com/documentation/network/nwpathmonitor
@available(iOS 12.0, *)
public final class NWPathMonitor: Sendable {
    public init() {}
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
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

#if canImport(FoundationNetworking)
    public import FoundationNetworking

    // Foundation of other systems knows no background sessions.
    // Source: https://developer.apple.com/documentation/foundation/urlsessionconfiguration
    extension URLSessionConfiguration {
        public static func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
        public var sessionSendsLaunchEvents: Bool {
            get { true }
            set {}
        }
    }
#endif

#if !canImport(Darwin)
    // Foundation of other systems knows no app groups.
    // Source: https://developer.apple.com/documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
    extension FileManager {
        public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
    }
#endif
