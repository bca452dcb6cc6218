import Daybook

/// The calls of Dodo's BlackBox (signatures of version 6), recorded with Daybook: only the import changes.
///
/// ```swift
/// import DaybookBlackBox                       // was: import BlackBox
///
/// BlackBox.log("Menu shown", userInfo: ["items": 42], level: .info, category: "View Lifecycle")
/// let loading = BlackBox.logStart("Load menu")
/// BlackBox.logEnd(loading)
/// ```
///
/// Calls go to the installed pipeline (`Log.install(_:)`), and wait until one is installed. The category's words become
/// the tag in lower case, separated by dots: `view.lifecycle`; `app` if there is none. `userInfo` becomes the
/// attributes, sorted by name, and `serviceInfo` the attribute `service_info`. Messages need not be constant; neither
/// they nor `userInfo` are evaluated below the level. Returns at once; safe from any thread.
public enum BlackBox {
    /// Records a message.
    /// - Parameters:
    ///   - message: What happened; any string.
    ///   - userInfo: Becomes the attributes.
    ///   - serviceInfo: Becomes the attribute `service_info`.
    ///   - level: Default: debug, as in BlackBox.
    ///   - category: Becomes the tag. Default: `app`.
    ///   - parentEvent: The enclosing measurement. Default: the current task's.
    public static func log(
        _ message: @autoclosure () -> String, userInfo: @autoclosure () -> BBUserInfo? = nil,
        serviceInfo: @autoclosure () -> BBServiceInfo? = nil, level: BBLogLevel = .debug, category: String? = nil,
        parentEvent: GenericEvent? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, column: UInt = #column
    ) {
        let log = Log(Tag.of(category))
        guard log.isEnabled(Level(level)) else { return }
        within(parentEvent) {
            log.message(
                Level(level), message(), Attributes(userInfo(), serviceInfo()), fileID: fileID, function: function,
                line: UInt32(clamping: line),
                column: UInt32(clamping: column))
        }
    }

    /// Records anything else, as `print` shows it; replaces `print(`.
    /// - Parameters:
    ///   - items: Recorded as `String(describing:)`.
    ///   - separator: Written between items. Default: a space.
    ///   - terminator: Ignored: a record has no line end.
    @_disfavoredOverload
    public static func log(
        _ items: Any..., separator: String = " ", terminator: String = "\n",
        userInfo: @autoclosure () -> BBUserInfo? = nil, serviceInfo: @autoclosure () -> BBServiceInfo? = nil,
        level: BBLogLevel = .debug, category: String? = nil, parentEvent: GenericEvent? = nil,
        fileID: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, column: UInt = #column
    ) {
        log(
            items.map { String(describing: $0) }.joined(separator: separator), userInfo: userInfo(),
            serviceInfo: serviceInfo(), level: level, category: category, parentEvent: parentEvent, fileID: fileID,
            function: function, line: line, column: column)
    }

    /// Records an error with its code, `errorUserInfo` and causes, at its own level (``BBLogLevelProvider`` or
    /// `LeveledError`), otherwise as an error.
    public static func log(
        _ error: any Error, serviceInfo: BBServiceInfo? = nil, category: String? = nil,
        parentEvent: GenericEvent? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, column: UInt = #column
    ) {
        var record = Record(
            error: error, level: (error as? any BBLogLevelProvider).map { Level($0.level) }, tag: Tag.of(category))
        record.attributes.elements += Attributes(nil, serviceInfo).elements
        record.file = fileID.description
        record.function = function.description
        record.line = Int(clamping: line)
        record.column = Int(clamping: column)
        record.span = parentEvent?.context ?? SpanContext.current
        Log(record.tag).forward(record)
    }

    // MARK: Measurements

    /// Starts a measurement that `logEnd` ends: one record, with its duration. `userInfo` and `serviceInfo` are
    /// evaluated at the start.
    public static func logStart(
        _ message: String, userInfo: BBUserInfo? = nil, serviceInfo: BBServiceInfo? = nil, level: BBLogLevel = .debug,
        category: String? = nil, parentEvent: GenericEvent? = nil, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt = #line, column: UInt = #column
    ) -> StartEvent {
        let event = StartEvent(
            message, userInfo: userInfo, serviceInfo: serviceInfo, level: level, category: category,
            parentEvent: parentEvent, fileID: fileID, function: function, line: line, column: column)
        logStart(event)
        return event
    }

    /// Starts an existing measurement. Only the first start counts.
    public static func logStart(_ event: StartEvent) { event.start() }

    /// Ends a measurement. Only the first end counts; one never started is not recorded.
    /// - Parameters:
    ///   - event: What `logStart` returned.
    ///   - message: Becomes the attribute `end_message`: the record has the message of its start.
    ///   - userInfo: Added to that of the start, which it overrides.
    ///   - serviceInfo: Becomes the attribute `service_info`.
    ///   - category: Becomes the attribute `end_category`: the record has the tag of its start.
    ///   - fileID: Ignored, as are `function`, `line` and `column`: the record has the source location of its start.
    public static func logEnd(
        _ event: StartEvent, message: String? = nil, userInfo: BBUserInfo? = nil, serviceInfo: BBServiceInfo? = nil,
        category: String? = nil, fileID: StaticString = #fileID, function: StaticString = #function, line: UInt = #line,
        column: UInt = #column
    ) {
        var attributes = Attributes(userInfo, serviceInfo)
        if let message { attributes["end_message"] = .string(message) }
        if let category { attributes["end_category"] = .string(category) }
        event.end(attributes)
    }

    private static func within(_ event: GenericEvent?, _ body: () -> Void) {
        if let context = event?.context { context.whileCurrent(body) } else { body() }
    }
}

extension BlackBox {
    /// Records a message for developers.
    public static func debug(
        _ message: @autoclosure () -> String, userInfo: @autoclosure () -> BBUserInfo? = nil,
        serviceInfo: @autoclosure () -> BBServiceInfo? = nil, category: String? = nil,
        parentEvent: GenericEvent? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, column: UInt = #column
    ) {
        log(
            message(), userInfo: userInfo(), serviceInfo: serviceInfo(), level: .debug, category: category,
            parentEvent: parentEvent, fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about normal operation.
    public static func info(
        _ message: @autoclosure () -> String, userInfo: @autoclosure () -> BBUserInfo? = nil,
        serviceInfo: @autoclosure () -> BBServiceInfo? = nil, category: String? = nil,
        parentEvent: GenericEvent? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, column: UInt = #column
    ) {
        log(
            message(), userInfo: userInfo(), serviceInfo: serviceInfo(), level: .info, category: category,
            parentEvent: parentEvent, fileID: fileID, function: function, line: line, column: column)
    }

    /// Starts a measurement at debug level.
    public static func debugStart(
        _ message: String, userInfo: BBUserInfo? = nil, serviceInfo: BBServiceInfo? = nil, category: String? = nil,
        parentEvent: GenericEvent? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, column: UInt = #column
    ) -> StartEvent {
        logStart(
            message, userInfo: userInfo, serviceInfo: serviceInfo, level: .debug, category: category,
            parentEvent: parentEvent, fileID: fileID, function: function, line: line, column: column)
    }

    /// Starts a measurement at info level.
    public static func infoStart(
        _ message: String, userInfo: BBUserInfo? = nil, serviceInfo: BBServiceInfo? = nil, category: String? = nil,
        parentEvent: GenericEvent? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt = #line, column: UInt = #column
    ) -> StartEvent {
        logStart(
            message, userInfo: userInfo, serviceInfo: serviceInfo, level: .info, category: category,
            parentEvent: parentEvent, fileID: fileID, function: function, line: line, column: column)
    }
}
