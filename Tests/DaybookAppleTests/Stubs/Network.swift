// Source: https://developer.apple.com/documentation/network
import Dispatch
import Foundation

// Source: https://developer.apple.com/documentation/network/nwpath
@available(iOS 12.0, *)
public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
    public var isExpensive: Bool { false }
    @available(iOS 13.0, *)
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
