import CThreads
import DaybookBase

/// The default pipeline, for logs without one of their own.
enum InstalledPipeline {
    /// The pipeline's threshold. Everything passes while none is installed, since early records are kept.
    static let threshold = LevelThreshold(0)

    /// Held while the threshold is copied, so that it belongs to the installed pipeline.
    private static let settingThreshold = Mutex(())

    /// Never released, even when replaced: a reader needs no lock, and the object cannot be freed under it.
    @inline(__always)
    static var current: Unmanaged<PipelineCore>? {
        UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: daybook_load_installed())).map(Unmanaged.fromOpaque)
    }

    static func install(_ core: PipelineCore) {
        daybook_store_installed(UInt64(UInt(bitPattern: Unmanaged.passRetained(core).toOpaque())))
        followThreshold()
        EarlyRecords.release(to: core)
    }

    static func followThreshold() {
        settingThreshold.withLock { _ in
            guard let core = current else { return }
            threshold.minimum.store(
                core._withUnsafeGuaranteedRef { $0.threshold.minimum.load(ordering: .acquiring) }, ordering: .releasing)
        }
    }
}

/// Records logged before a pipeline is installed: the first 512 wait here, later ones are only counted.
enum EarlyRecords {
    private indirect enum Entry: Sendable {
        /// An event's columns can only be read by encoding them.
        case event(any LogEvent, span: SpanContext?, time: Int64)
        case record(Record)
    }

    private struct Waiting {
        var entries: [Entry] = []
        var dropped = 0
    }

    private static let maximum = 512
    private static let waiting = Mutex(Waiting())

    /// Not inlined: an event of any type would need space on the log call's stack.
    @inline(never)
    static func keep(_ event: () -> any LogEvent) {
        keep(.event(event(), span: SpanContext.current, time: PipelineClock.system.wall()))
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

    @inline(never)
    static func keep(_ level: Level, event tag: String, _ fill: (inout AttributeBuilder) -> Void) {
        // The installation's key is unknown yet, and the builder hashes nothing.
        let attributes = AttributeBuilder.encode(key: HashKey(0, 0), fill) { encoded in
            encoded.map { ContextBytes(resource: [], attributes: Array($0), names: []).decodedAttributes }
        }
        keep(level, tag: tag, isEvent: true, message: nil, attributes: attributes ?? [:])
    }

    static func keep(_ record: Record) { keep(.record(record)) }

    private static func keep(_ entry: Entry) {
        waiting.withLock { waiting in
            if waiting.entries.count < maximum { waiting.entries.append(entry) } else { waiting.dropped += 1 }
        }
        // A pipeline may have been installed since the caller looked.
        if let core = InstalledPipeline.current { release(to: core.takeUnretainedValue()) }
    }

    /// Passes the waiting records to a pipeline, in order and with their original times.
    static func release(to core: PipelineCore) {
        let released = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
        let table = core.switchboard.table
        for entry in released.entries {
            switch entry {
            case .event(let event, nil, let time): core.record(early: event, by: table, at: time)
            case .event(let event, let span?, let time):
                span.whileCurrent { core.record(early: event, by: table, at: time) }
            case .record(let record): core.record(record, by: table)
            }
        }
        if released.dropped > 0 {
            core.report(
                "\(released.dropped) records were logged before a pipeline was installed, beyond the \(maximum) "
                    + "that are kept; they are lost. Install the pipeline earlier.")
        }
    }
}

extension Log {
    /// Records what another logging library received, with its time, source location and span.
    ///
    /// For bridges, such as those from swift-log, Puree and the system's log. Level, routes, filters, and the current
    /// context and session apply as to a log call. The record's `sequence` and `context` are ignored. If the record's
    /// tag is empty, this log's is used; if its time is 0, the time of the call. May be called from any thread; never
    /// throws or waits.
    public func forward(_ record: Record) {
        guard isEnabled(record.level) else { return }
        var record = record
        if record.tag.isEmpty { record.tag = tag }
        if record.time == 0 { record.time = (core?.clock ?? .system).wall() }
        guard let core else { return EarlyRecords.keep(record) }
        core.record(record, by: core.switchboard.table)
    }
}
