// Source: https://developer.apple.com/documentation/network
import Dispatch
import Foundation

// Source: https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { .satisfied }
    public var isExpensive: Bool { false }
    public var isConstrained: Bool { false }
}

// Source: https://developer.apple.com/documentation/network/nwinterface
public struct NWInterface: Sendable {
    public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

// Source: https://developer.apple.com/documentation/network/nwpathmonitor
public final class NWPathMonitor: Sendable {
    public init() {}
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { nil }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
