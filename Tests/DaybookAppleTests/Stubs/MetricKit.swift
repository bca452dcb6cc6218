// Only on iOS, macOS and visionOS.
// Source: https://developer.apple.com/documentation/metrickit
@_exported import Foundation

// Source: https://developer.apple.com/documentation/metrickit/mxdiagnosticpayload
open class MXDiagnosticPayload: NSObject {
    open func jsonRepresentation() -> Data { Data() }
    open var timeStampBegin: Date { fatalError() }
    open var timeStampEnd: Date { fatalError() }
}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricmanagersubscriber
@objc public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    @objc(didReceiveDiagnosticPayloads:) optional func didReceive(_ payloads: [MXDiagnosticPayload])
}

// Source: https://developer.apple.com/documentation/metrickit/mxmetricmanager
open class MXMetricManager: NSObject {
    open class var shared: MXMetricManager { fatalError() }
    open func add(_ subscriber: any MXMetricManagerSubscriber) {}
    open func remove(_ subscriber: any MXMetricManagerSubscriber) {}
}
