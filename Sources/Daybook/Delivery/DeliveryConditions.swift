/// Conditions of the device and its network that are reasons not to send.
///
/// While ``offline``, nothing is sent to outputs that need a network. The others are for routes that wait; see
/// ``RouteWait``.
public struct DeliveryConditions: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is no network. Leave it unset if unknown: set wrongly, records are held back; missing, one attempt is
    /// wasted.
    public static let offline = DeliveryConditions(rawValue: 1 << 0)
    /// The network is paid by volume: a mobile network, another phone's hotspot.
    public static let expensive = DeliveryConditions(rawValue: 1 << 1)
    /// The user asked for little use of this network (Apple's *Low Data Mode*).
    public static let constrained = DeliveryConditions(rawValue: 1 << 2)
    /// The device saves power (Apple's *Low Power Mode*).
    public static let lowPower = DeliveryConditions(rawValue: 1 << 3)

    private static let names: [(Self, String)] = [
        (.offline, "offline"), (.expensive, "expensive"), (.constrained, "constrained"), (.lowPower, "low power"),
    ]

    /// `expensive, low power`; empty for none.
    public var description: String { Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") }
}

/// Reports the device's conditions to a pipeline: ``PipelineOptions/conditions``.
///
/// Use `DeviceConditions` of `DaybookApple` on Apple's systems, and your own in tests. Without a source, the pipeline
/// tries whether there is a network, and no route waits.
public protocol ConditionSource: Sendable {
    /// Starts reporting: calls `changed` with the current conditions and on every change, on any thread. Called once,
    /// by the pipeline. Until `changed` is first called, routes with a wait do wait.
    func start(_ changed: @escaping @Sendable (_ conditions: DeliveryConditions) -> Void)
}

/// When a route's records wait in the journal, to save data volume and power.
///
/// ```swift
/// Route("**", to: OTLPOutput(endpoint: url), waits: .while([.expensive, .constrained, .lowPower]))
/// ```
///
/// The wait is the output's: if several routes lead to it, the first route's applies. Give records that must not wait
/// an output with another id. Waiting records count towards the journal's cap.
public struct RouteWait: Sendable, Hashable {
    /// Nothing is sent while any of these holds. An output that needs no network waits only for
    /// ``DeliveryConditions/lowPower``.
    public let conditions: DeliveryConditions
    /// A batch whose oldest record is older is sent anyway. By the wall clock, across launches.
    public let atMost: Duration

    /// Sends under any conditions. The default.
    public static let never = RouteWait(conditions: [], atMost: .zero)

    /// Records wait while any of `conditions` holds.
    /// - Parameters:
    ///   - conditions: ``DeliveryConditions/offline`` is ignored, since it always applies.
    ///   - atMost: The longest wait after a record was logged. Default: a day.
    public static func `while`(_ conditions: DeliveryConditions, atMost: Duration = .seconds(24 * 3600)) -> RouteWait {
        RouteWait(conditions: conditions.subtracting(.offline), atMost: max(.zero, atMost))
    }
}
