// Source: https://developer.apple.com/documentation/metrickit
@_exported import Foundation

// Source: https://developer.apple.com/documentation/metrickit/mxdiagnosticpayload
@available(iOS 14.0, *)
open class MXDiagnosticPayload: NSObject {
    open func jsonRepresentation() -> Data { Data() }
    open var timeStampBegin: Date { fatalError() }
    open var timeStampEnd: Date { fatalError() }
}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricpayload
@available(iOS 13.0, *)
open class MXMetricPayload: NSObject {}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricmanagersubscriber
@available(iOS 13.0, *)
@objc public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    @objc(didReceiveMetricPayloads:) optional func didReceive(_ payloads: [MXMetricPayload])
    @available(iOS 14.0, *)
    @objc(didReceiveDiagnosticPayloads:) optional func didReceive(_ payloads: [MXDiagnosticPayload])
}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricmanager
@available(iOS 13.0, *)
open class MXMetricManager: NSObject {
    open class var shared: MXMetricManager { fatalError() }
    open func add(_ subscriber: any MXMetricManagerSubscriber) {}
    open func remove(_ subscriber: any MXMetricManagerSubscriber) {}
}
