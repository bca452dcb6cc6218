import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Funnels, retention and paths. Each runs in the background, to be polled and cancelled: over columns where the store
/// has them, otherwise as a statement.
final class InsightsAPI: Sendable {
    private struct Job {
        var insight: Insight
        var sql: String
        var warnings: [String]
        /// Whether it compares or shows private values. If so, its text and answer are private too.
        var showsPrivate: Bool
        var started: Duration
        var progress: SearchProgress?
        var ended: Duration?
        var outcome: Result<(table: InsightTable, isTruncated: Bool), Problem>?
        var task: Task<Void, Never>?
    }

    private struct State {
        var jobs: [Int64: Job] = [:]
        var lastID: Int64 = 0
    }

    /// Most jobs kept, including finished ones.
    private static let mostJobs = 16

    /// The start waits so long for the answer, which saves the client another request.
    private static let patience: Duration = .milliseconds(250)

    private let dialect: StoreDialect?
    private let columns: (any ColumnarStore)?
    private let statements: MaskedStatements
    private let limits: QueryLimits
    private let disclosure: Disclosure
    private let tags: [String]
    private let uptime: @Sendable () -> Duration
    private let now: @Sendable () -> Int64
    private let allows: @Sendable (HTTPRequest.Head) -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - dialect: The store's; `nil` without SQL.
    ///   - columns: The store, if it has columns.
    ///   - definitions: Of the known events; empty if unknown.
    ///   - uptime: A monotonic clock.
    ///   - now: Nanoseconds since 1970.
    ///   - allows: Whether a request's key is still valid.
    init(
        dialect: StoreDialect?, columns: (any ColumnarStore)?, statements: MaskedStatements, limits: QueryLimits,
        disclosure: Disclosure, definitions: Definitions, uptime: @escaping @Sendable () -> Duration,
        now: @escaping @Sendable () -> Int64,
        allows: @escaping @Sendable (HTTPRequest.Head) -> Bool
    ) {
        self.allows = allows
        (self.dialect, self.columns, self.statements) = (dialect, columns, statements)
        (self.limits, self.disclosure) = (limits, disclosure)
        (self.uptime, self.now) = (uptime, now)
        tags = definitions.categories.flatMap { category in category.events.map { "\(category.name).\($0.name)" } }
    }

    var routes: [HTTPRoute] {
        [
            HTTPRoute(Endpoints.insightStart, bodyLimit: 16_384) { [self] in
                try await start($0.body, $0.query, for: $0.head)
            },
            HTTPRoute(Endpoints.insight) { [self] in try answer($0.number("id"), $0.query) },
            HTTPRoute(Endpoints.insightEnd) { [self] in try cancel($0.number("id"), $0.query) },
        ]
    }

    func start(
        _ body: [UInt8], _ parameters: Parameters, for head: HTTPRequest.Head
    ) async throws -> InsightAnswer {
        let text = try RequestBody.read(
            body, "The body is a JSON object with the insight: {\"insight\": \"a.b -> a.c within 1h\"}."
        ) { $0.text("insight", limit: nil) }
        let insight: Insight
        do throws(InsightError) {
            insight = try Insight(parsing: text)
        } catch {
            throw Problem(.badRequest, "The insight, \(error).")
        }
        guard let dialect else { throw Problem(.unavailable, "This store has no SQL, which insights need.") }
        let policy = try disclosure.policy(parameters) {
            "private values in the answer to an insight: \(text.prefix(500))"
        }
        if let policy, let column = insight.readColumns.first(where: policy.isPrivateAnywhere) {
            throw Problem(
                .badRequest, "\(column) is private: neither test it nor divide by it, or ask for private values.")
        }
        let time = now()
        let sql = insight.sql(dialect, now: time)
        let id = try admit(
            Job(
                insight: insight, sql: sql, warnings: insight.warnings(among: tags), showsPrivate: policy == nil,
                started: uptime()))
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let task = WorkThreads.runBeside { [self] in
            let outcome: Result<(table: InsightTable, isTruncated: Bool), Problem>
            do {
                // Without a policy the answer may depend on private values.
                let runner: any StatementRunner = policy == nil ? statements.whole : statements
                let result = try await insight.answer(
                    from: columns, or: runner, sql, limits: limits, policy, now: time
                ) { progress in
                    self.state.withLock { $0.jobs[id]?.progress = progress }
                }
                outcome = .success((InsightTable(insight, result, now: time), result.isTruncated))
            } catch {
                outcome = .failure(Problem(error))
            }
            state.withLock { state in
                state.jobs[id]?.ended = uptime()
                state.jobs[id]?.outcome = outcome
                state.jobs[id]?.task = nil
            }
            end.finish()
        }
        state.withLock { state in
            // The task may have finished already.
            if state.jobs[id]?.outcome == nil { state.jobs[id]?.task = task }
        }
        WorkThreads.runBeside { [self] in await endIfRevoked(id, head) }
        let timer = WorkThreads.runBeside {
            try? await Task.sleep(for: Self.patience)
            end.finish()
        }
        for await _ in ended {}
        timer.cancel()
        return try answer(id, parameters)
    }

    /// Cancels a job when its key is revoked.
    private func endIfRevoked(_ id: Int64, _ head: HTTPRequest.Head) async {
        while state.withLock({ $0.jobs[id]?.task }) != nil, (try? await Task.sleep(for: .seconds(1))) != nil {
            if !allows(head) { state.withLock { $0.jobs[id]?.task }?.cancel() }
        }
    }

    /// Adds a job, replacing the oldest finished one if there are too many.
    private func admit(_ job: Job) throws(Problem) -> Int64 {
        let id = state.withLock { state -> Int64? in
            if state.jobs.count >= Self.mostJobs {
                guard let oldest = state.jobs.filter({ $0.value.outcome != nil }).keys.min() else { return nil }
                state.jobs[oldest] = nil
            }
            state.lastID += 1
            state.jobs[state.lastID] = job
            return state.lastID
        }
        guard let id else {
            throw Problem(.unavailable, "\(Self.mostJobs) insights run already. Cancel one, or wait for one to end.")
        }
        return id
    }

    func cancel(_ id: Int64, _ parameters: Parameters = []) throws(Problem) -> InsightAnswer {
        try job(id, parameters).task?.cancel()
        return try answer(id, parameters)
    }

    /// - Throws: ``Problem`` if there is no such job, or the request may not see it; both look alike.
    private func job(_ id: Int64, _ parameters: Parameters) throws(Problem) -> Job {
        let showsPrivate = parameters.contains { $0.name == "private" && $0.value == "show" }
        guard let job = state.withLock({ $0.jobs[id] }), showsPrivate || !job.showsPrivate else {
            throw Problem(.notFound, "There is no insight \(id) any more. Run it again.")
        }
        return job
    }

    func answer(_ id: Int64, _ parameters: Parameters = []) throws(Problem) -> InsightAnswer {
        let job = try job(id, parameters)
        let elapsed = (job.ended ?? uptime()) - job.started
        var answer = InsightAnswer(id, job.insight, sql: job.sql)
        (answer.warnings, answer.isRunning, answer.elapsed) = (job.warnings, job.outcome == nil, elapsed)
        (answer.limit, answer.progress, answer.outcome) = (limits.time, job.progress, try job.outcome?.get())
        return answer
    }
}

extension Insight {
    /// Warns about steps without a definition, one sentence each.
    /// - Parameter tags: Of defined events; if empty, no warnings.
    package func warnings(among tags: [String]) -> [String] {
        guard !tags.isEmpty else { return [] }
        return Set(events.compactMap(\.pattern.onlyTag)).subtracting(tags).filter { !OwnRecords.have($0) }.sorted().map
        {
            let near = NearestName.of($0, among: tags).map { "; did you mean \($0)?" } ?? "."
            return "\($0) is not defined\(near)"
        }
    }
}

extension QueryLimits {
    /// For insights, which read more records than statements on the SQL screen.
    /// - Parameter time: Default 2 minutes.
    package static func ofInsight(time: Duration = .seconds(120)) -> QueryLimits {
        var limits = QueryLimits()
        (limits.rows, limits.time, limits.bytes) = (10_000, time, 2 << 20)
        return limits
    }
}
