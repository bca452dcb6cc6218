public import Daybook
import Foundation

/// Sends events to Firebase Analytics.
///
/// ```swift
/// import FirebaseAnalytics
///
/// Route("**", to: AnalyticsOutput(report: { print("analytics: \($0)") }) { Analytics.logEvent($0, parameters: $1) })
/// ```
///
/// Only events are sent: Analytics does not count messages, errors or measurements. ``AnalyticsEvent`` changes names
/// and values that Firebase would refuse, and each change is reported once for each event and fault. Private columns
/// are left out. Safe to share between threads.
public final class AnalyticsOutput: Output {
    public let id: String
    private let report: @Sendable (String) -> Void
    private let send: @Sendable (String, [String: Any]) -> Void
    private let reported = Locked(Set<String>())
    /// Generated names must not fill the memory; by then enough has been reported.
    private static let maximumReported = 1_000

    /// Creates an output.
    /// - Parameters:
    ///   - id: Its name in ledgers; unique in a pipeline. Default: `firebase-analytics`.
    ///   - report: Receives what Firebase does not accept of an event, once for each event and fault. Default: ignored.
    ///   - send: Logs an event with its parameters: `Analytics.logEvent($0, parameters: $1)`.
    public init(
        id: String = "firebase-analytics", report: @escaping @Sendable (String) -> Void = { _ in },
        _ send: @escaping @Sendable (String, [String: Any]) -> Void
    ) {
        self.id = id
        self.report = report
        self.send = send
    }

    public func write(_ record: Record) {
        guard let event = AnalyticsEvent(record) else { return }
        for fault in event.faults {
            let text = "\(record.tag): \(fault)"
            let isNew = reported.withLock { $0.count < Self.maximumReported && $0.insert(text).inserted }
            if isNew { report(text) }
        }
        send(event.name, event.parameters)
    }
}

/// An event in the form Firebase Analytics accepts. Pure.
///
/// Source of the limits:
/// https://firebase.google.com/docs/reference/swift/firebaseanalytics/api/reference/Classes/Analytics
public struct AnalyticsEvent {
    /// What does not fit in a record.
    public enum Fault: Sendable, Hashable, CustomStringConvertible {
        /// The event's name is changed to this.
        case name(String)
        /// A parameter's name is changed.
        case parameterName(String, to: String)
        /// A parameter is left out, because another has the same name after the change.
        case sameName(String)
        /// A parameter's text is cut to 100 characters.
        case longValue(String)
        /// A parameter is left out, because there are more than 25.
        case tooMany(String)

        public var description: String {
            switch self {
            case .name(let name): "its name is no name for Firebase; it is sent as \(name)"
            case .parameterName(let name, let other):
                "\(name) is no parameter name for Firebase; it is sent as \(other)"
            case .sameName(let name): "\(name) is left out: another parameter has its name"
            case .longValue(let name): "\(name) is cut to \(FirebaseText.maximumValue) characters"
            case .tooMany(let name): "\(name) is left out: Firebase takes \(maximumParameters) parameters"
            }
        }
    }

    static let maximumParameters = 25
    private static let reservedPrefixes = ["firebase_", "google_", "ga_"]
    private static let reservedNames: Set<String> = [
        "ad_activeview", "ad_click", "ad_exposure", "ad_query", "ad_reward", "adunit_exposure", "app_clear_data",
        "app_exception", "app_remove", "app_store_refund", "app_store_subscription_cancel",
        "app_store_subscription_convert", "app_store_subscription_renew", "app_update", "app_upgrade",
        "dynamic_link_app_open", "dynamic_link_app_update", "dynamic_link_first_open", "error", "first_open",
        "first_visit", "in_app_purchase", "notification_dismiss", "notification_foreground", "notification_open",
        "notification_receive", "os_update", "session_start", "session_start_with_rollout", "user_engagement",
    ]

    /// The tag, with an underscore for each dot: `recipe_search.search` is `recipe_search_search`.
    public private(set) var name: String
    /// `String`, `Int64` or `Double`, the types Firebase accepts: Booleans are 1 and 0, arrays and objects their JSON.
    public private(set) var parameters: [String: Any] = [:]
    /// What was changed to fit.
    public private(set) var faults: [Fault] = []

    /// `nil` for a record that is no event.
    public init?(_ record: Record) {
        guard record.kind == .event else { return nil }
        let plain = record.tag.replacing(".", with: "_")
        name = Self.name(of: plain)
        if Self.reservedNames.contains(name) { name = "app_event_" + name }
        if name != plain { faults.append(.name(name)) }
        // The last value of a duplicate key wins, as everywhere.
        var seen: Set<String> = []
        let elements = record.attributes.elements.reversed().filter { seen.insert($0.key).inserted }.reversed()
        for element in elements where !record.privateNames.contains(element.key) && element.value != .null {
            add(element)
        }
    }

    private mutating func add(_ element: Attributes.Element) {
        let key = Self.name(of: element.key)
        if parameters[key] != nil { return faults.append(.sameName(element.key)) }
        guard parameters.count < Self.maximumParameters else { return faults.append(.tooMany(element.key)) }
        if key != element.key { faults.append(.parameterName(element.key, to: key)) }
        switch element.value {
        case .bool(let bool): parameters[key] = Int64(bool ? 1 : 0)
        case .int(let int): parameters[key] = int
        case .double(let double): parameters[key] = double
        default:
            let text = FirebaseText.text(of: element.value)
            if text.count > FirebaseText.maximumValue { faults.append(.longValue(element.key)) }
            parameters[key] = String(text.prefix(FirebaseText.maximumValue))
        }
    }

    /// A name that Firebase does not reserve.
    private static func name(of text: String) -> String {
        let name = FirebaseText.attributeName(text)
        guard reservedPrefixes.contains(where: { name.lowercased().hasPrefix($0) }) else { return name }
        return FirebaseText.attributeName("app_" + name)
    }
}
