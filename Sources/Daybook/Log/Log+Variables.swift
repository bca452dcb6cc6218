import DaybookBase

// The log calls for literals with variables: `["id": id, "url": url]`. The values of a literal have one type, so each
// call has a second form, which the compiler takes where the first does not fit. Literals of literals still take the
// first.

/// Attributes as written in a log call: names with values of any ``LogValue`` type, or `nil`.
public typealias LogValues = KeyValuePairs<String, (any LogValue)?>

extension Log {
    /// Records a message at `level`, with variables as attributes. The arguments are evaluated only if some route takes
    /// that level.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func message(
        _ level: Level, _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            level, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message for tracing a program's internal steps, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func trace(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .trace, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message for developers, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func debug(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .debug, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about what normally happens, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func info(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .info, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about something that should not happen but does no harm, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func warning(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .warning, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about a failure, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func error(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .error, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about a failure after which the program cannot continue, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func fatal(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .fatal, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records an event that has no definition yet, under its own tag, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public func post(_ event: String, _ attributes: @autoclosure () -> LogValues, level: Level = .info) {
        post(event, Attributes(attributes()), level: level)
    }
}

extension Log {
    /// Records a message for tracing a program's internal steps, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func trace(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .trace, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message for developers, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func debug(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .debug, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about what normally happens, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func info(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .info, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about something that should not happen but does no harm, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func warning(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .warning, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about a failure, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func error(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .error, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records a message about a failure after which the program cannot continue, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func fatal(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> LogValues,
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        root.message(
            .fatal, message(), Attributes(attributes()), tag: tag(), fileID: fileID, function: function, line: line,
            column: column)
    }

    /// Records an event that has no definition yet, under its own tag, with variables as attributes.
    @_alwaysEmitIntoClient @_disfavoredOverload
    public static func post(_ event: String, _ attributes: @autoclosure () -> LogValues, level: Level = .info) {
        root.post(event, Attributes(attributes()), level: level)
    }
}

extension LogMeasurement {
    /// Ends the measurement successfully, with variables as attributes.
    @_disfavoredOverload
    public func end(_ attributes: LogValues) { end(Attributes(attributes)) }

    /// Ends the measurement with the error that ended it, with variables as attributes.
    @_disfavoredOverload
    public func end(throwing error: any Error, _ attributes: LogValues) {
        end(throwing: error, Attributes(attributes))
    }
}

// Accepts any other literal, so that the compiler's error is about the value, not the call.
@available(
    *, unavailable,
    message:
        "a value must be a Bool, number, text, UUID, URL, Date, Data, an optional, array or dictionary of these, or a type of your own that is a LogValue (`enum Screen: String, LogValue`); of another type record a text of it, of several types `.array([id.logValue, ...])`, an object is `Attributes([...])`, and a `[String: Any]` is `Attributes(any: payload)`"
)
extension Log {
    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func message(_ level: Level, _ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func trace(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func debug(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func info(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func warning(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func error(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func fatal(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func post(_ event: String, _ attributes: [String: Any?], level: Level = .info) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public static func trace(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public static func debug(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public static func info(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public static func warning(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public static func error(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public static func fatal(_ message: String, _ attributes: [String: Any?], tag: String? = nil) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public static func post(_ event: String, _ attributes: [String: Any?], level: Level = .info) {}
}

@available(
    *, unavailable,
    message:
        "a value must be a Bool, number, text, UUID, URL, Date, Data, an optional, array or dictionary of these, or a type of your own that is a LogValue (`enum Screen: String, LogValue`); of another type record a text of it, of several types `.array([id.logValue, ...])`, an object is `Attributes([...])`, and a `[String: Any]` is `Attributes(any: payload)`"
)
extension LogMeasurement {
    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func end(_ attributes: [String: Any?]) {}

    /// Refuses a value that cannot be recorded.
    @_disfavoredOverload
    public func end(throwing error: any Error, _ attributes: [String: Any?]) {}
}
