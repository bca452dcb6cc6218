import DaybookBase

/// Records messages, errors, events and measurements, one line for each.
///
/// A `Log` is a tag and a pipeline. `Log("app.lifecycle")` writes to the installed pipeline (``install(_:)``),
/// `pipeline.log("app.lifecycle")` to `pipeline`. The static methods use the tag `app`. Every method returns at once,
/// never throws, never waits for disk or network, and may be called from any thread. Once a call has returned, its
/// record survives the death of the process.
public struct Log: Sendable {
    /// The tag of this log's messages, errors and measurements. Events have their own.
    public let tag: String
    private let pipeline: PipelineCore?
    /// `pipeline` without reference counting. Sound: `pipeline` holds it as long as the log lives.
    private let unretained: Unmanaged<PipelineCore>?
    /// Sound: held by `pipeline`, or that of the installed pipeline, which is never freed.
    @usableFromInline let threshold: Unmanaged<LevelThreshold>

    /// Creates a log that writes to the installed pipeline.
    ///
    /// ```swift
    /// let log = Log("app.lifecycle")
    /// log.info("App launched", ["cold": true])
    /// ```
    public init(_ tag: String) {
        self.tag = tag
        pipeline = nil
        unretained = nil
        threshold = .passUnretained(InstalledPipeline.threshold)
    }

    init(_ tag: String, pipeline: PipelineCore) {
        self.tag = tag
        self.pipeline = pipeline
        unretained = Unmanaged.passUnretained(pipeline)
        threshold = .passUnretained(pipeline.threshold)
    }

    /// The log of the static methods.
    @usableFromInline static let root = Log("app")

    /// Whether any route currently takes records of `level`; `true` while no pipeline is installed, since early records
    /// are kept. For work done only to log. Inlined, so that an unwanted level costs one comparison.
    @_alwaysEmitIntoClient
    public func isEnabled(_ level: Level) -> Bool {
        threshold._withUnsafeGuaranteedRef { level.rawValue >= $0.minimum.load(ordering: .relaxed) }
    }

    /// The lowest level that any route currently takes; `nil` while every output is switched off, `trace` while no
    /// pipeline is installed.
    public var minimumLevel: Level? { Level.allCases.first(where: isEnabled) }

    var core: PipelineCore? { pipeline ?? InstalledPipeline.current?.takeUnretainedValue() }

    /// The pipeline without reference counting. Sound: the log holds its own, and the installed one is never freed.
    @inline(__always)
    var lent: Unmanaged<PipelineCore>? { unretained ?? InstalledPipeline.current }

    /// Makes `pipeline` the one for every `Log` without its own, and passes it what was logged before. May be called
    /// again: later records go to the later pipeline. The pipeline lives for the rest of the process.
    public static func install(_ pipeline: Pipeline<some LogContext>) {
        InstalledPipeline.install(pipeline.core)
    }

    /// Records a message at `level`, under this log's tag or `tag`. The arguments are evaluated only if some route
    /// takes that level.
    @_alwaysEmitIntoClient
    public func message(
        _ level: Level, _ message: @autoclosure () -> String, _ attributes: @autoclosure () -> Attributes = [:],
        tag: @autoclosure () -> String? = nil,
        fileID: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line,
        column: UInt32 = #column
    ) {
        guard isEnabled(level) else { return }
        record(
            level, message(), attributes(), tag: tag(),
            CallSite(fileID: fileID, function: function, line: line, column: column))
    }

    @usableFromInline @_optimize(speed)
    func record(_ level: Level, _ message: String, _ attributes: Attributes, tag other: String?, _ site: CallSite) {
        let tag = other ?? tag
        guard let core = lent else {
            return EarlyRecords.keep(level, tag: tag, message: message, attributes: attributes, site: site)
        }
        core._withUnsafeGuaranteedRef { core in
            core.switchboard.lent._withUnsafeGuaranteedRef {
                core.record(message: message, tag: tag, by: $0, level, attributes, site: site)
            }
        }
    }

    /// Records an error, at its `LeveledError.logLevel` or `error`. Details belong in the error itself
    /// (`errorUserInfo`), so there is no parameter for attributes.
    public func error(
        _ error: any Error, tag: @autoclosure () -> String? = nil, fileID: StaticString = #fileID,
        function: StaticString = #function, line: UInt32 = #line, column: UInt32 = #column
    ) {
        let description = ErrorDescription(error)
        message(
            description.level, description.message, description.attributes, tag: tag(), fileID: fileID,
            function: function, line: line, column: column)
    }

    /// Records a defined event.
    @_alwaysEmitIntoClient
    public func post(_ event: some LogEvent) {
        record(event.descriptor, { event.encode(into: &$0) }, whole: { event })
    }

    /// `encode` writes the columns; `whole` is called only while no pipeline is installed.
    @usableFromInline @_optimize(speed)
    func record(
        _ descriptor: EventDescriptor, _ encode: (inout FieldEncoder) -> Void, whole: () -> any LogEvent
    ) {
        guard let core = lent else { return EarlyRecords.keep(whole) }
        core._withUnsafeGuaranteedRef { core in
            core.switchboard.lent._withUnsafeGuaranteedRef { descriptor.record(in: core, by: $0, encode) }
        }
    }

    /// Records an event that has no definition yet, under its own tag (`category.event`).
    ///
    /// Events carry no source location: the tag is enough to find the call, and the location would more than double the
    /// record.
    @_alwaysEmitIntoClient
    public func post(
        _ event: String, _ attributes: @autoclosure () -> Attributes = [:], level: Level = .info
    ) {
        guard isEnabled(level) else { return }
        recordEvent(level, event, attributes())
    }

    @usableFromInline @_optimize(speed)
    func recordEvent(_ level: Level, _ tag: String, _ attributes: Attributes) {
        guard let core = lent else {
            return EarlyRecords.keep(level, tag: tag, isEvent: true, message: nil, attributes: attributes)
        }
        core._withUnsafeGuaranteedRef { core in
            core.switchboard.lent._withUnsafeGuaranteedRef { core.record(event: tag, by: $0, level, attributes) }
        }
    }

    /// Records an event that has no definition yet, with attributes that a closure sets: `log.post("feed.tap") {
    /// $0["n"] = 1 }`.
    ///
    /// Faster than a literal, because attributes are encoded at once. The closure is not called if no route takes the
    /// record.
    @_optimize(speed)
    public func post(_ event: String, level: Level = .info, _ fill: (inout AttributeBuilder) -> Void) {
        guard isEnabled(level) else { return }
        guard let core = lent else { return EarlyRecords.keep(level, event: event, fill) }
        core._withUnsafeGuaranteedRef { core in
            core.switchboard.lent._withUnsafeGuaranteedRef { core.record(event: event, by: $0, level, fill) }
        }
    }
}

/// The severity number with which an inlined log call compares its level before it evaluates anything.
@usableFromInline
final class LevelThreshold: Sendable {
    /// A shortcut: the pipeline checks the level itself. 0 passes everything, `UInt8.max` nothing.
    @usableFromInline let minimum: Atomic<UInt8>

    init(_ minimum: UInt8) { self.minimum = Atomic(minimum) }
}
