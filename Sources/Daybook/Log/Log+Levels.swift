extension Log {
    /// Records a message for tracing a program's inner steps.
    @inlinable
    public func trace(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .trace, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message for developers.
    @inlinable
    public func debug(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .debug, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about what normally happens.
    @inlinable
    public func info(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .info, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about what should not happen but does no harm.
    @inlinable
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
    @inlinable
    public func error(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .error, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }

    /// Records a message about a failure the program cannot go on after; it is forced to the disk at once.
    @inlinable
    public func fatal(
        _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column
    ) {
        self.message(
            .fatal, message(), attributes(), tag: tag(), fileID: fileID, function: function, line: line, column: column)
    }
}
