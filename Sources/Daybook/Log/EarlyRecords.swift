import Synchronization

/// What is logged before a pipeline is installed: the first 512 records wait here, the rest are counted.
enum EarlyRecords {
    private enum Entry: Sendable {
        /// As the caller made it: its columns cannot be read but by encoding them.
        case event(any LogEvent, span: SpanContext?, time: Int64)
        case record(Record)
    }

    private struct Waiting {
        var entries: [Entry] = []
        var dropped = 0
    }

    private static let maximum = 512
    private static let waiting = Mutex(Waiting())

    static func keep(_ event: some LogEvent) {
        keep(.event(event, span: SpanContext.current, time: PipelineClock.system.wall()))
    }

    static func keep(
        _ level: Level, tag: String, isEvent: Bool = false, message: String?, attributes: Attributes,
        site: CallSite? = nil
    ) {
        var record = Record(
            time: PipelineClock.system.wall(), kind: isEvent ? .event : .message, level: level, tag: tag,
            message: message, attributes: attributes)
        record.span = SpanContext.current
        record.place(at: site)
        keep(record)
    }

    static func keep(_ record: Record) { keep(.record(record)) }

    private static func keep(_ entry: Entry) {
        waiting.withLock { waiting in
            if waiting.entries.count < maximum { waiting.entries.append(entry) } else { waiting.dropped += 1 }
        }
        // A pipeline may have been installed, and have taken what waited, since the caller looked.
        if let core = InstalledPipeline.current { release(to: core.takeUnretainedValue()) }
    }

    /// Hands what waits to a pipeline, in order, with the times at which it was logged.
    static func release(to core: PipelineCore) {
        let released = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
        for entry in released.entries {
            switch entry {
            case .event(let event, nil, let time): core.record(event, time: time)
            case .event(let event, let span?, let time): span.whileCurrent { core.record(event, time: time) }
            case .record(let record): core.forward(record)
            }
        }
        if released.dropped > 0 {
            core.report(
                "\(released.dropped) records were logged before a pipeline was installed, beyond the \(maximum) "
                    + "that are kept; they are lost. Install the pipeline earlier.")
        }
    }
}
