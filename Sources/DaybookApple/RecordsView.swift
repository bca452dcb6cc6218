import Daybook
import DaybookBase

#if canImport(UIKit) && !os(watchOS)
    import Foundation
    import UIKit

    /// An invisible element through which a UI test, in its own process, reads what the app has logged:
    ///
    /// ```swift
    /// let text = app.otherElements["daybook.records"].value as? String
    /// ```
    ///
    /// Add it with `recordsForUITest(_:)` in SwiftUI, or `addRecords(forUITest:)` on a UIKit window. Its records come
    /// from ``RecordsText/forUITest(inRelease:arguments:)``. Whatever reads the screen can read them too.
    public final class RecordsView: UIView {
        private let records: RecordsText

        /// Creates a view of the output of the route `"**"`, with the timing `.inline`.
        ///
        /// ```swift
        /// if let records = RecordsText.forUITest() {
        ///     let view = RecordsView(records)
        /// }
        /// ```
        public init(_ records: RecordsText) {
            self.records = records
            super.init(frame: CGRect(x: 0, y: 0, width: 1, height: 1))
            isAccessibilityElement = true
            accessibilityIdentifier = "daybook.records"
            isUserInteractionEnabled = false
        }

        /// Not available: a nib has no records.
        public required init?(coder: NSCoder) { nil }

        /// Created on request, so that logging costs nothing here.
        public override var accessibilityValue: String? {
            get { records.text }
            set {}
        }
    }

    extension UIWindow {
        /// Adds a ``RecordsView`` to the window, through which a UI test reads what the app has logged.
        /// - Parameter records: The output of ``RecordsText/forUITest(inRelease:arguments:)``; `nil` adds nothing.
        public func addRecords(forUITest records: RecordsText?) {
            if let records { addSubview(RecordsView(records)) }
        }
    }
#endif

#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
    import SwiftUI

    extension View {
        /// Adds an invisible element in this view's corner, through which a UI test reads what the app has logged; see
        /// ``RecordsView``. One around the first view of the window is enough.
        /// - Parameter records: The output of ``RecordsText/forUITest(inRelease:arguments:)``; `nil` adds nothing.
        public func recordsForUITest(_ records: RecordsText?) -> some View {
            overlay(alignment: .topLeading) {
                if let records { RecordsElement(records: records).frame(width: 1, height: 1) }
            }
        }
    }

    /// SwiftUI computes accessibility values at layout; this view, when a test reads it.
    private struct RecordsElement: UIViewRepresentable {
        let records: RecordsText

        func makeUIView(context: Context) -> RecordsView { RecordsView(records) }

        func updateUIView(_ view: RecordsView, context: Context) {}
    }
#endif

/// Keeps the latest records as text for a UI test: NDJSON, one record per line, as `daybook verify` takes.
///
/// Bounded, since the test's process gets a copy on each read. If lines were dropped, the first line is a message with
/// the tag `daybook.records` that says how many. Safe to share between threads.
public final class RecordsText: Output {
    public let id = "records-text"
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var lines: [String] = []
        var bytes = 0
        var gone = 0
    }

    /// Creates an output that keeps about this much text.
    ///
    /// ```swift
    /// let records = RecordsText(bytes: 16 << 10)
    /// Route("**", to: records, timing: .inline)
    /// ```
    /// - Parameter bytes: Default 64 KiB; at least 1 KiB.
    public init(bytes: Int = 64 << 10) { limit = max(1 << 10, bytes) }

    /// The output for the UI test that launched this process with `-DaybookRecords YES`; `nil` without that argument,
    /// and in a release build.
    /// - Parameters:
    ///   - inRelease: Whether a release build follows the argument too, for tests of one. Do not set it for the App
    ///     Store, where anybody may pass arguments.
    ///   - arguments: The arguments of this launch.
    public static func forUITest(
        inRelease: Bool = false, arguments: LaunchArguments = .init(CommandLine.arguments)
    ) -> RecordsText? {
        forUITest(isDebugBuild: InspectorSwitch.isDebugBuild, inRelease: inRelease, arguments: arguments)
    }

    package static func forUITest(isDebugBuild: Bool, inRelease: Bool, arguments: LaunchArguments) -> RecordsText? {
        (isDebugBuild || inRelease) && arguments.showsRecords ? RecordsText() : nil
    }

    public func write(_ record: Record) {
        let line = TextFormat.json.text(of: record)
        state.withLock { state in
            state.lines.append(line)
            state.bytes += line.utf8.count + 1
            var excess = 0
            while state.bytes > limit, excess < state.lines.count - 1 {
                state.bytes -= state.lines[excess].utf8.count + 1
                excess += 1
            }
            state.lines.removeFirst(excess)
            state.gone += excess
        }
    }

    /// The kept lines, oldest first, without a final line end.
    public var text: String {
        let (lines, gone) = state.withLock { ($0.lines, $0.gone) }
        guard gone > 0 else { return lines.joined(separator: "\n") }
        let note = Record(
            time: 0, kind: .message, level: .warning, tag: "daybook.records",
            message: "Earlier records are not shown: there is no room for more.",
            attributes: ["gone": .int(Int64(gone))])
        return ([TextFormat.json.text(of: note)] + lines).joined(separator: "\n")
    }

    /// Removes what is kept, before the part of a test that counts.
    public func clear() { state.withLock { $0 = State() } }
}

/// The launch arguments for Daybook, in the style of `UserDefaults`: `-Name VALUE` pairs. Xcode's schemes,
/// `XCUIApplication` and `simctl launch` pass them.
///
/// | Argument | Meaning |
/// |---|---|
/// | `-DaybookInspector NO` | no inspector in this launch |
/// | `-DaybookOpen /net` | opens the inspector at once, on a screen of its page |
/// | `-DaybookRecords YES` | puts the records where a UI test reads them; see ``RecordsText/forUITest(inRelease:arguments:)`` |
public struct LaunchArguments: Sendable, Hashable {
    /// `-DaybookInspector`; `nil` if not given.
    public var inspector: Bool?
    /// `-DaybookOpen`: the part after `#` in the page's address; `nil` if not given.
    public var openedScreen: String?
    /// `-DaybookRecords`.
    public var showsRecords: Bool

    /// Parses the arguments of a launch, `ProcessInfo.processInfo.arguments`. Others are ignored, as are invalid
    /// values. Of duplicates the last counts.
    ///
    /// ```swift
    /// let arguments = LaunchArguments(ProcessInfo.processInfo.arguments)
    /// ```
    public init(_ arguments: [String]) {
        var values: [String: String] = [:]
        for (name, value) in zip(arguments, arguments.dropFirst()) where name.hasPrefix("-Daybook") {
            values[name] = value
        }
        inspector = values["-DaybookInspector"].flatMap(Self.bool)
        openedScreen = values["-DaybookOpen"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        showsRecords = values["-DaybookRecords"].flatMap(Self.bool) ?? false
    }

    /// As `UserDefaults` parses it.
    private static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }
}
