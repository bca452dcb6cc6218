import Synchronization

/// What is logged before a pipeline is installed: the first 512 records wait here, the rest are counted.
enum EarlyRecords {
    private enum Entry: Sendable {
        case event(any LogEvent, time: Int64)
        case untyped(Level, tag: String, Attributes, time: Int64)
        case message(Level, tag: String, String, Attributes, time: Int64)
        case forwarded(Record)
    }

    private struct Waiting {
        var entries: [Entry] = []
        var dropped = 0
    }

    private static let maximum = 512
    private static let waiting = Mutex(Waiting())

    static func keep(_ event: some LogEvent) {
        keep(.event(event, time: PipelineClock.system.wall()))
    }

    static func keep(level: Level, event tag: String, _ attributes: Attributes) {
        keep(.untyped(level, tag: tag, attributes, time: PipelineClock.system.wall()))
    }

    static func keep(level: Level, tag: String, message: String, attributes: Attributes) {
        keep(.message(level, tag: tag, message, attributes, time: PipelineClock.system.wall()))
    }

    static func keep(_ record: Record) { keep(.forwarded(record)) }

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
            case .event(let event, let time):
                core.record(event, time: time)
            case .untyped(let level, let tag, let attributes, let time):
                core.record(level, event: tag, attributes, time: time)
            case .message(let level, let tag, let message, let attributes, let time):
                core.record(level, tag: tag, message: message, attributes: attributes, time: time)
            case .forwarded(let record):
                core.forward(record)
            }
        }
        if released.dropped > 0 {
            core.report(
                "\(released.dropped) records were logged before a pipeline was installed, beyond the \(maximum) "
                    + "that are kept; they are lost. Install the pipeline earlier.")
        }
    }
}
