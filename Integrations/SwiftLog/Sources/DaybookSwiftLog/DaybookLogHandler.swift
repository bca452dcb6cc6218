import Daybook
public import Logging

/// Sends what a program and its libraries log through swift-log to Daybook. Calls need no changes.
///
/// ```swift
/// Log.install(pipeline)
/// LoggingSystem.bootstrap(DaybookLogHandler.init)
/// ```
///
/// A logger's label is the tag, for routes and filters. Of equal metadata keys the last wins, in this order: the
/// handler's own, the metadata provider's, the call's. A value type: a copied logger has its own metadata, level and
/// provider. Thread-safe.
public struct DaybookLogHandler: LogHandler {
    /// The minimum level, whatever the routes accept. Default: `trace`, which leaves it to the routes.
    public var logLevel: Logger.Level = .trace
    /// Added to every record of this handler.
    public var metadata: Logger.Metadata = [:]
    /// Called for metadata at each log call.
    public var metadataProvider: Logger.MetadataProvider?

    private let log: Log

    /// Creates a handler that records to the installed pipeline.
    /// - Parameters:
    ///   - label: The logger's label, which becomes the tag.
    ///   - metadataProvider: Default: the one swift-log was bootstrapped with.
    public init(label: String, metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider) {
        self.init(log: Log(label), metadataProvider: metadataProvider)
    }

    /// Creates a handler that records to a given log: `DaybookLogHandler(log: pipeline.log(label))`.
    public init(log: Log, metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider) {
        self.log = log
        self.metadataProvider = metadataProvider
    }

    /// For `LoggingSystem.bootstrap(DaybookLogHandler.init)`.
    public init(label: String) {
        self.init(label: label, metadataProvider: LoggingSystem.metadataProvider)
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: Logging.LogEvent) {
        let level = Level(event.level)
        guard log.isEnabled(level) else { return }
        var record = Record(event, level: level, tag: log.tag)
        record.attributes.elements += mergedMetadata(with: event.metadata)
        record.span = SpanContext.current
        log.forward(record)
    }

    /// The merged metadata, sorted by name so that equal records look alike.
    private func mergedMetadata(with explicit: Logger.Metadata?) -> [Attributes.Element] {
        var merged = metadata
        if let provided = metadataProvider?.get() { merged.merge(provided) { $1 } }
        if let explicit { merged.merge(explicit) { $1 } }
        return merged.sorted { $0.key < $1.key }.map { Attributes.Element($0.key, Value($0.value)) }
    }
}
