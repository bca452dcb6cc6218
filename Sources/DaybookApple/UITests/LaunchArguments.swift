/// What a launch tells Daybook, in the way of `UserDefaults`: `-Name VALUE` pairs. Xcode's schemes, `XCUIApplication`
/// and `simctl launch` pass them.
///
/// | Argument | Meaning |
/// |---|---|
/// | `-DaybookInspector NO` | no inspector in this launch |
/// | `-DaybookOpen /net` | opens the inspector at once, on a screen of its page |
/// | `-DaybookRecords YES` | puts the records where a UI test reads them; see `RecordsView` |
public struct LaunchArguments: Sendable, Hashable {
    /// `-DaybookInspector`; `nil` where it is not said.
    public var inspector: Bool?
    /// `-DaybookOpen`: behind `#` in the page's address; `nil` where it is not said.
    public var openedScreen: String?
    /// `-DaybookRecords`.
    public var showsRecords: Bool

    /// The arguments of a launch, `ProcessInfo.processInfo.arguments`. Others are left alone; of one that is given twice
    /// the last counts; a value that cannot be read is none.
    public init(_ arguments: [String]) {
        var values: [String: String] = [:]
        for (name, value) in zip(arguments, arguments.dropFirst()) where name.hasPrefix("-Daybook") {
            values[name] = value
        }
        inspector = values["-DaybookInspector"].flatMap(Self.bool)
        openedScreen = values["-DaybookOpen"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        showsRecords = values["-DaybookRecords"].flatMap(Self.bool) ?? false
    }

    /// As `UserDefaults` reads it.
    private static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }
}
