// Emitted into the client, so that a program contains only the calls it makes.

extension Log {
    /// Records a message for tracing a program's internal steps.
    @_alwaysEmitIntoClient
    public func trace(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .trace, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message for developers.
    @_alwaysEmitIntoClient
    public func debug(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .debug, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about what normally happens.
    @_alwaysEmitIntoClient
    public func info(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .info, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about something that should not happen but does no harm.
    @_alwaysEmitIntoClient
    public func warning(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .warning, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about a failure.
    @_alwaysEmitIntoClient
    public func error(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .error, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about a failure after which the program cannot continue; it is forced to the disk at once.
    @_alwaysEmitIntoClient
    public func fatal(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .fatal, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }
}

/// The same calls without an instance: `Log.info("App launched")` replaces `print("App launched")`. The tag is `app`,
/// or the one that a call names: `Log.info("App launched", tag: "app.start")`.
extension Log {
    /// Records a message for tracing a program's internal steps.
    @_alwaysEmitIntoClient
    public static func trace(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .trace, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message for developers.
    @_alwaysEmitIntoClient
    public static func debug(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .debug, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about what normally happens.
    @_alwaysEmitIntoClient
    public static func info(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .info, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about something that should not happen but does no harm.
    @_alwaysEmitIntoClient
    public static func warning(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .warning, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about a failure.
    @_alwaysEmitIntoClient
    public static func error(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .error, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about a failure after which the program cannot continue; it is forced to the disk at once.
    @_alwaysEmitIntoClient
    public static func fatal(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .fatal, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records an error, under the tag `app`; see `log.error(_:)`.
    @_alwaysEmitIntoClient
    public static func error(
        _ error: any Error, tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    ) { root.error(error, tag: tag(), fileID: fileID, function: function, line: line, column: column) }

    /// Records a defined event.
    @_alwaysEmitIntoClient
    public static func post(_ event: some LogEvent) { root.post(event) }

    /// Records an event that has no definition yet, under its own tag (`category.event`).
    @_alwaysEmitIntoClient
    public static func post(
        _ event: String, _ attributes: @autoclosure () -> Attributes = [:], level: Level = .info
    ) { root.post(event, attributes(), level: level) }

    /// Records an event that has no definition yet, with attributes that a closure sets.
    public static func post(_ event: String, level: Level = .info, _ fill: (inout AttributeBuilder) -> Void) {
        root.post(event, level: level, fill)
    }

    /// Starts a measurement, which `end()` on it ends.
    @_alwaysEmitIntoClient
    public static func start(
        _ name: String, level: Level = .info, parent: LogMeasurement? = nil, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    ) -> LogMeasurement {
        root.start(name, level: level, parent: parent, fileID: fileID, function: function, line: line, column: column)
    }
}
