// Source: https://developer.apple.com/documentation/metrickit
import Foundation

// Source: https://developer.apple.com/documentation/metrickit/mxdiagnosticpayload
public final class MXDiagnosticPayload: NSObject {
    public func jsonRepresentation() -> Data { Data() }
    public var timeStampBegin: Date { .now }
    public var timeStampEnd: Date { .now }
}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricpayload
public final class MXMetricPayload: NSObject {}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricmanagersubscriber
public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    func didReceive(_ payloads: [MXMetricPayload])
    func didReceive(_ payloads: [MXDiagnosticPayload])
}

// Optional requirements of the protocol.
extension MXMetricManagerSubscriber {
    public func didReceive(_ payloads: [MXMetricPayload]) {}
    public func didReceive(_ payloads: [MXDiagnosticPayload]) {}
}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricmanager
public final class MXMetricManager: NSObject {
    public class var shared: MXMetricManager { MXMetricManager() }
    public func add(_ subscriber: any MXMetricManagerSubscriber) {}
    public func remove(_ subscriber: any MXMetricManagerSubscriber) {}
}
