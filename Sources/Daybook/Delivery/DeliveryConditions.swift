/// The current conditions of a device and its network that are reasons not to send.
///
/// Without a network (``offline``), nothing is sent to outputs that need one. The other conditions are for routes that
/// choose to wait; see ``RouteWait``.
public struct DeliveryConditions: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is no network. Not set if that is unknown: if it is set wrongly, records are held back; if it is missing
    /// wrongly, an attempt is wasted.
    public static let offline = DeliveryConditions(rawValue: 1 << 0)
    /// The network costs money by volume: a mobile network, another phone's hotspot.
    public static let expensive = DeliveryConditions(rawValue: 1 << 1)
    /// The user asked apps to use this network little (Apple's *Low Data Mode*).
    public static let constrained = DeliveryConditions(rawValue: 1 << 2)
    /// The device saves power (Apple's *Low Power Mode*).
    public static let lowPower = DeliveryConditions(rawValue: 1 << 3)

    private static let names: [(Self, String)] = [
        (.offline, "offline"), (.expensive, "expensive"), (.constrained, "constrained"), (.lowPower, "low power"),
    ]

    /// `expensive, low power`; empty for none.
    public var description: String { Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") }
}

/// Tells a pipeline about its device's conditions: ``PipelineOptions/conditions``.
///
/// Injected: Apple's is `DeviceConditions` in `DaybookApple`; a test passes its own. Without one, the pipeline finds
/// out by trying whether there is a network, and no route waits.
public protocol ConditionSource: Sendable {
    /// Starts reporting: calls `changed` with the current conditions, and again on every change, on any thread. Called
    /// once, by the pipeline that has the source. Until the first call of `changed`, routes that may wait do wait.
    func start(_ changed: @escaping @Sendable (_ conditions: DeliveryConditions) -> Void)
}

/// When a route's records wait in the journal although they could be sent, to save people's data volume and power.
///
/// ```swift
/// Route("**", to: OTLPOutput(endpoint: url), waits: .while([.expensive, .constrained, .lowPower]))
/// ```
///
/// The output waits: if several routes lead to it, the first route's wait applies. Records that must not wait go to a
/// separate output with another id. Records that wait count towards the journal's cap.
public struct RouteWait: Sendable, Hashable {
    /// While any of these holds, nothing is sent. An output that needs no network waits only for
    /// ``DeliveryConditions/lowPower``.
    public let conditions: DeliveryConditions
    /// A batch whose oldest record is older than this, by the wall clock and across launches, is sent anyway.
    public let atMost: Duration

    /// Records are sent under any conditions. A route's default.
    public static let never = RouteWait(conditions: [], atMost: .zero)

    /// Records wait while any of `conditions` holds.
    /// - Parameters:
    ///   - conditions: ``DeliveryConditions/offline`` need not be included.
    ///   - atMost: The longest wait after a record was logged. Default: a day.
    public static func `while`(_ conditions: DeliveryConditions, atMost: Duration = .seconds(24 * 3600)) -> RouteWait {
        RouteWait(conditions: conditions.subtracting(.offline), atMost: max(.zero, atMost))
    }
}
