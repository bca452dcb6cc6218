import DaybookBase

// In a file of their own: an async function keeps all types of its file in every program.
extension Log {
    /// Starts a measurement, which `end()` on it ends.
    /// - Parameter parent: The enclosing measurement. Default: the one that the current task runs in, if any.
    public func start(
        _ name: String, level: Level = .info, parent: LogMeasurement? = nil, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    ) -> LogMeasurement {
        start(
            name, level: level, isRequest: false, parent: parent?.context ?? SpanContext.current,
            site: CallSite(fileID: fileID, function: function, line: line, column: column))
    }

    /// Starts a measurement within a span from elsewhere, such as the `traceparent` of a request that a server
    /// receives.
    /// - Parameters:
    ///   - parent: The enclosing span; `nil` starts a new trace.
    ///   - time: When it began, in nanoseconds since 1970, if another clock timed it; then give its end a time too.
    ///     Default: now.
    public func start(_ name: String, level: Level = .info, within parent: SpanContext?, at time: Int64? = nil)
        -> LogMeasurement
    {
        LogMeasurement(name, tag: tag, level: level, parent: parent, site: nil, at: time, core: core)
    }

    func start(_ name: String, level: Level, isRequest: Bool, parent: SpanContext?, site: CallSite) -> LogMeasurement {
        LogMeasurement(name, tag: tag, level: level, isRequest: isRequest, parent: parent, site: site, core: core)
    }

    /// Measures `body`; what it logs and measures belongs to this measurement.
    public func measure<Result>(
        _ name: String, level: Level = .info, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column, _ body: () throws -> Result
    ) rethrows -> Result {
        let measurement = start(name, level: level, fileID: fileID, function: function, line: line, column: column)
        do {
            let result = try measurement.context.whileCurrent(body)
            measurement.end()
            return result
        } catch {
            measurement.end(throwing: error)
            throw error
        }
    }

    /// Measures asynchronous work; what it logs and measures, including in child tasks, belongs to this measurement.
    public func measure<Result>(
        _ name: String, level: Level = .info, fileID: StaticString = #fileID, function: StaticString = #function,
        line: UInt32 = #line, column: UInt32 = #column, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let measurement = start(name, level: level, fileID: fileID, function: function, line: line, column: column)
        do {
            let result = try await measurement.context.whileCurrent(isolation: isolation, body)
            measurement.end()
            return result
        } catch {
            measurement.end(throwing: error)
            throw error
        }
    }
}
