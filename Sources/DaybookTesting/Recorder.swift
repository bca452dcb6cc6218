import Daybook
import DaybookBase
import Foundation

/// A test's own pipeline, which keeps its records in memory: pass its log to the code under test.
///
/// Nothing is global or sent, so concurrent tests do not see each other's records. Filters given to it apply. Safe to
/// share between threads. Its files are removed when it is released.
public final class Recorder<Context: LogContext>: Sendable {
    /// For code that changes the common attributes.
    public let pipeline: Pipeline<Context>
    private let memory: RecordMemory
    private let directory: TemporaryDirectory

    /// Creates a recorder with common attributes.
    ///
    /// ```swift
    /// struct Common: LogContext {
    ///     var plan = "free"
    ///     func encode(into fields: inout FieldEncoder) { fields.add("plan", plan) }
    /// }
    /// let recorder = try Recorder(context: Common())
    /// ```
    /// - Parameters:
    ///   - filters: The app's filters, in order; routes have no effect here.
    /// - Throws: An error of the file system, or a mistake in `filters`.
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

    /// Creates a recorder without common attributes.
    ///
    /// ```swift
    /// let recorder = try Recorder()
    /// recorder.log().post("feed.show_article", ["article_id": 7])
    /// try recorder.records.expect("feed.show_article exactly 1")
    /// ```
    /// - Throws: An error of the file system, or a mistake in `filters`.
    public convenience init(
        options: PipelineOptions = .init(), @PipelineBuilder filters: () -> [PipelineBuilder.Part] = { [] }
    ) throws where Context == EmptyContext {
        try self.init(context: EmptyContext(), options: options, filters: filters)
    }

    deinit { directory.remove() }

    /// A log whose records this recorder keeps.
    public func log(_ tag: String = "app") -> Log { pipeline.log(tag) }

    /// The records so far.
    public var records: RecordedRecords { RecordedRecords(memory.records) }

    /// Removes the records so far, for a test of several steps.
    public func clear() { memory.clear() }
}

/// Keeps records on the logging threads, numbered from 1: an inline output's records have no numbers yet.
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

/// A batch output that keeps everything, or answers as configured. Safe to share between threads.
public final class CollectingOutput: BatchOutput {
    public let id: String
    private let state: Mutex<State>

    private struct State {
        var batches: [Batch] = []
        var answers: [Delivery]
    }

    /// Creates an output that keeps what it receives.
    ///
    /// ```swift
    /// let output = CollectingOutput(answers: [.retry(after: nil, reason: "busy")])
    /// let pipeline = try Pipeline(directory: folder) { Route("**", to: output) }
    /// ```
    /// - Parameters:
    ///   - id: Default: `collecting`.
    ///   - answers: Its first answers, in order; afterwards it accepts everything.
    public init(id: String = "collecting", answers: [Delivery] = []) {
        self.id = id
        state = Mutex(State(answers: answers))
    }

    public func send(_ batch: Batch) async -> Delivery {
        state.withLock { state in
            let answer = state.answers.isEmpty ? .delivered : state.answers.removeFirst()
            if answer == .delivered { state.batches.append(batch) }
            return answer
        }
    }

    /// The batches that were delivered, in order.
    public var batches: [Batch] { state.withLock { $0.batches } }

    /// The records that were delivered, in order.
    public var records: [Record] { batches.flatMap(\.records) }
}
