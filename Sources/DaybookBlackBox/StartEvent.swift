import Daybook
import DaybookBase

public typealias BBUserInfo = [String: Any]
public typealias BBServiceInfo = Any

public enum BBLogLevel: String, Sendable, CaseIterable {
    case debug, info, warning, error
}

/// An error that has a level. New code conforms to `LeveledError`, which has all six levels.
public protocol BBLogLevelProvider where Self: Error {
    var level: BBLogLevel { get }
}

extension Error {
    /// The error's level from ``BBLogLevelProvider``; otherwise `error`.
    public var level: BBLogLevel { (self as? any BBLogLevelProvider)?.level ?? .error }
}

extension BlackBox {
    /// A measurement, as `parentEvent` takes it.
    public typealias GenericEvent = StartEvent

    /// A measurement from its `logStart` to its `logEnd`. Safe to share between threads.
    public final class StartEvent: Sendable {
        public let message: String
        public let level: BBLogLevel
        /// Its words become the tag.
        public let category: String?

        private let attributes: Attributes
        private let parent: LogMeasurement?
        private let site: CallSite
        private let running = Mutex<LogMeasurement?>(nil)

        /// Creates a measurement that ``BlackBox/logStart(_:)`` starts.
        ///
        /// ```swift
        /// let loading = BlackBox.StartEvent("Load menu", category: "Menu")
        /// BlackBox.logStart(loading)
        /// BlackBox.logEnd(loading)
        /// ```
        public init(
            _ message: String, userInfo: BBUserInfo? = nil, serviceInfo: BBServiceInfo? = nil,
            level: BBLogLevel = .debug, category: String? = nil, parentEvent: GenericEvent? = nil,
            fileID: StaticString = #fileID, function: StaticString = #function, line: UInt = #line,
            column: UInt = #column
        ) {
            self.message = message
            self.level = level
            self.category = category
            attributes = Attributes(userInfo, serviceInfo)
            parent = parentEvent?.measurement
            site = CallSite(
                fileID: fileID, function: function, line: UInt32(clamping: line),
                column: UInt32(clamping: column))
        }

        private var measurement: LogMeasurement? { running.withLock { $0 } }

        /// `nil` before the start.
        var context: SpanContext? { measurement?.context }

        func start() {
            running.withLock { running in
                guard running == nil else { return }
                running = Log(Tag.of(category)).start(
                    message, level: Level(level), parent: parent, fileID: site.fileID, function: site.function,
                    line: site.line, column: site.column)
            }
        }

        func end(_ added: Attributes) {
            var all = attributes
            for element in added.elements { all[element.key] = element.value }
            measurement?.end(all)
        }
    }
}

extension Level {
    init(_ level: BBLogLevel) {
        switch level {
        case .debug: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}

enum Tag {
    /// The category's words in lower case, joined by dots; `app` without any.
    static func of(_ category: String?) -> String {
        guard let category else { return "app" }
        let words = category.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
        return words.isEmpty ? "app" : words.joined(separator: ".")
    }
}

extension Attributes {
    /// Sorted by name.
    init(_ userInfo: BBUserInfo?, _ serviceInfo: BBServiceInfo?) {
        self.init((userInfo ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, Value(describing: $0.value)) })
        if let serviceInfo { self["service_info"] = Value(describing: serviceInfo) }
    }
}
