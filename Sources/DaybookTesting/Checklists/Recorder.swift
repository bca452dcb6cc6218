import Daybook
import Foundation
import Synchronization

/// A pipeline of a test's own, whose records are in memory: hand its log to the code under test.
///
/// Nothing is global and nothing is sent, so that tests that run at the same time do not see each other's records.
/// Filters given to it apply. Safe to share between threads. Its files are removed with it.
public final class Recorder<Context: LogContext>: Sendable {
    /// The pipeline, for code that changes the common attributes.
    public let pipeline: Pipeline<Context>
    private let memory: RecordMemory
    private let directory: TemporaryDirectory

    /// A recorder with common attributes.
    /// - Parameters:
    ///   - filters: the app's filters, in order; a route is of no use here.
    /// - Throws: What the file system says, or a mistake in `filters`.
    public init(
        context: Context, options: PipelineOptions = .init(),
        @PipelineBuilder filters: () -> [PipelineBuilder.Part] = { [] }
    ) throws {
        let directory = try TemporaryDirectory()
        let memory = RecordMemory()
        let parts = filters()
        pipeline = try Pipeline(directory: directory.url, context: context, options: options) {
            for part in parts { part }
            Route("**", to: memory, timing: .inline)
        }
        self.memory = memory
        self.directory = directory
    }

    /// A recorder without common attributes.
    /// - Throws: What the file system says, or a mistake in `filters`.
    public convenience init(
        options: PipelineOptions = .init(), @PipelineBuilder filters: () -> [PipelineBuilder.Part] = { [] }
    ) throws where Context == EmptyContext {
        try self.init(context: EmptyContext(), options: options, filters: filters)
    }

    deinit { directory.remove() }

    /// A log that this recorder records.
    public func log(_ tag: String = "app") -> Log { pipeline.log(tag) }

    /// What has been logged by now.
    public var records: RecordedRecords { RecordedRecords(memory.records) }

    /// Forgets what has been logged by now: for a test of several steps.
    public func clear() { memory.clear() }
}

/// Takes records on the logging threads and keeps them, numbered from 1: an inline output's records have no numbers yet.
private final class RecordMemory: Output {
    private struct State {
        var records: [Record] = []
        var last: UInt64 = 0
    }

    let id = "recorder"
    private let state = Mutex(State())

    func write(_ record: Record) {
        state.withLock { state in
            state.last += 1
            var record = record
            record.sequence = state.last
            state.records.append(record)
        }
    }

    var records: [Record] { state.withLock { $0.records } }

    func clear() { state.withLock { $0.records = [] } }
}
