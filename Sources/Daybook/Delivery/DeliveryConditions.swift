/// What speaks against sending just now, of a device and its network.
///
/// Without a network (``offline``) nothing is sent to outputs that need one. The others are for routes that choose to
/// wait; see ``RouteWait``.
public struct DeliveryConditions: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is no network. Where that is not known, there is one: a wrong "no" holds records back, a wrong "yes" costs an
    /// attempt.
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

/// Tells a pipeline of its device's conditions: ``PipelineOptions/conditions``.
///
/// Injected: Apple's is `DeviceConditions` in `DaybookApple`; a test gives its own. Without one the pipeline finds out by
/// trying whether there is a network, and no route waits.
public protocol ConditionSource: Sendable {
    /// Starts to report: calls `changed` with what holds now, and at every change, on any thread. Called once, by the
    /// pipeline that the source was given to. Until the first call, routes that may wait do.
    func start(_ changed: @escaping @Sendable (_ conditions: DeliveryConditions) -> Void)
}

/// When a route's records wait in the journal although they could be sent: to spare people's data volume and power.
///
/// ```swift
/// Route("**", to: OTLPOutput(endpoint: url), waits: .while([.expensive, .constrained, .lowPower]))
/// ```
///
/// It is the output that waits: where several routes lead to one, the first route's wait is its wait. Records that must
/// not wait go to a separate output with another id. What waits counts towards the journal's cap.
public struct RouteWait: Sendable, Hashable {
    /// While any of these holds, nothing is sent. An output without need of a network waits for ``DeliveryConditions/lowPower``
    /// alone.
    public let conditions: DeliveryConditions
    /// A batch whose oldest record is older than this is sent anyway, by the wall clock and across launches.
    public let atMost: Duration

    /// Records are sent whatever holds. The default of a route.
    public static let never = RouteWait(conditions: [], atMost: .zero)

    /// Records wait while any of `conditions` holds.
    /// - Parameters:
    ///   - conditions: ``DeliveryConditions/offline`` need not be named.
    ///   - atMost: At most so long after a record was logged. Default: a day.
    public static func `while`(_ conditions: DeliveryConditions, atMost: Duration = .seconds(24 * 3600)) -> RouteWait {
        RouteWait(conditions: conditions.subtracting(.offline), atMost: max(.zero, atMost))
    }
}
