import Daybook
import DaybookBase
import DaybookCollector
import DaybookDefinitions
import DaybookHTTP
import DaybookHTTPServer
import DaybookInspector
import DaybookStore
import DaybookTools
import Foundation

/// The collector and the inspector behind one server, and periodic duties.
final class Service: Sendable {
    private let configuration: ServeConfiguration
    private let store: any EventStore
    private let server: HTTPServer
    /// For the SQL screen, for alerts, which must not wait for the others, and for insights, which take long.
    private let statements: StatementProcesses
    private let alertStatements: StatementProcesses
    private let insightStatements: StatementProcesses
    private let notices = LiveNotices()
    private let log: OwnLog
    private let metrics = IngestMetrics()
    private let keys: Mutex<KeyFileWatch?>
    private let retention = RetentionFailures()
    private let storeDuties: StoreDuties
    private let alerts: AlertRunner?
    private let alertFiles: Mutex<AlertFolderWatch?>
    private let duties = Mutex<Task<Void, Never>?>(nil)
    /// An unresponsive disk blocks only its own duty.
    private let dutyThreads = WorkThreads("daybook.duties", count: 8)

    /// - Parameter tell: receives a line per own record.
    /// - Throws: The store's error.
    init(_ configuration: ServeConfiguration, tell: @escaping @Sendable (String) -> Void) async throws {
        let store = try StoreAddress.open(configuration.store, access: .readWrite)
        statements = try StoreAddress.statements(configuration.store, givesWay: true)
        alertStatements = try StoreAddress.statements(configuration.store, capacity: 1, givesWay: true)
        insightStatements = try StoreAddress.statements(configuration.store, capacity: 1, givesWay: true)
        let definitions = configuration.team.definitions
        try await store.createViews(of: definitions)
        let observed = ObservedStore(store) { [notices] in
            notices.readers > 0
        } onAppend: { [notices] in
            notices.notify(head: $0)
        }
        let (load, statistics) = (IngestLoad(), ServerStatistics())
        log = OwnLog(
            store: metrics.watching(observed), version: Release.version, threshold: configuration.ownRecords, tell: tell
        )
        storeDuties = StoreDuties(store: store, log: log)
        alerts = try Self.alerts(configuration, store, alertStatements, log)
        alertFiles = Mutex(configuration.alerts)
        let measurements = Measurements(
            ingest: metrics, load: load, server: statistics, alerts: alerts,
            statements: [("screen", statements), ("alerts", alertStatements), ("insights", insightStatements)],
            quota: configuration.storeQuota, retention: retention, storeDuties: storeDuties, store: store)
        let inspector = Self.inspector(
            configuration, metrics.watching(store), (statements, insightStatements), notices, alerts, log,
            Self.desk(configuration, statistics))
        let ingest = Self.ingest(configuration, observed, load, metrics)
        let routes = [
            HTTPRoute(nil, "/v1/…", ingest), HTTPRoute(nil, "/healthz", ingest),
            HTTPRoute(["GET"], "/metrics", MetricsHandler(keys: configuration.keys?.ring, measure: measurements.text)),
            HTTPRoute(nil, "/mcp", AssistantHandler(inspector: inspector)), HTTPRoute(nil, "/…", inspector),
        ]
        server = HTTPServer(configuration: configuration.server, handler: HTTPRouter(routes))
        statistics.server.withLock { [server] in $0 = server }
        keys = Mutex(configuration.keys)
        (self.configuration, self.store) = (configuration, store)
    }

    private static func ingest(
        _ configuration: ServeConfiguration, _ store: ObservedStore, _ load: IngestLoad, _ metrics: IngestMetrics
    ) -> IngestHandler {
        let definitions = configuration.team.definitions
        return IngestHandler(store: store, keys: configuration.keys?.ring, load: load, metrics: metrics) {
            $0.quota = configuration.storeQuota
            // Without definitions every event would be undefined.
            if !definitions.categories.isEmpty {
                $0.violations = ViolationLog(definitions: definitions, store: store)
            }
            $0.requests = configuration.requestRules.map { TeamRequests($0, definitions: definitions) }
            $0.limits = configuration.bodyLimits
            $0.repeats = configuration.repeats
        }
    }

    private static func inspector(
        _ configuration: ServeConfiguration, _ store: any EventStore,
        _ statements: (screen: StatementProcesses, insights: StatementProcesses), _ notices: LiveNotices,
        _ alerts: AlertRunner?, _ log: OwnLog,
        _ desk: PairingDesk
    ) -> InspectorHandler {
        let team = configuration.team
        let keys: @Sendable (HTTPHeaders) -> InspectorAccess? = { [ring = configuration.keys?.ring] in ring?.access($0)
        }
        let credentials = Credentials(token: configuration.token, keys: keys)
        return InspectorHandler(
            store: store, definitions: team.definitions, checklists: team.checklists, token: configuration.token,
            notices: notices
        ) {
            $0.links = team.links
            $0.coverage = team.coverage
            $0.writesChecklists = true
            $0.pairing = desk
            $0.audit = { sentence in
                let parts = sentence.split(separator: ": ", maxSplits: 1).map(String.init)
                log.event(
                    "daybook.inspector", .warning, "The inspector \(parts[0])",
                    private: parts.count > 1 ? parts[1] : nil)
            }
            $0.statements = statements.screen
            $0.statementLimits = configuration.statementLimits
            $0.boards = team.boards
            $0.start = team.start.rawValue
            $0.insightStatements = statements.insights
            $0.insightLimits = configuration.insightLimits
            $0.routes =
                AlertsAPI(alerts) { credentials.access($0) == .everything }.routes
                + AlertFiles(
                    folder: configuration.alerts?.folder, secrets: configuration.alertSecrets,
                    tables: StatementTables(
                        dialect: store.dialect.flatMap { SQLDialect(rawValue: $0.rawValue) },
                        definitions: team.definitions),
                    masking: MaskingPolicy(team.definitions)
                ).routes
            $0.keys = keys
            $0.checklistFolder = team.checklistFolder
        }
    }

    private static func desk(_ configuration: ServeConfiguration, _ statistics: ServerStatistics) -> PairingDesk {
        PairingDesk {
            PairingAddress.choose(
                endpoints: statistics.server.withLock { $0?.endpoints } ?? [], names: configuration.server.hostNames,
                isSecure: configuration.isSecure)
        } lend: { name in
            configuration.keys.map { $0.ring.lend(name: name, for: PairingAddress.keyLifetime) }
                .map { PairingDesk.LentKey(text: $0.key.text, expires: $0.expires) }
        }
    }

    private static func alerts(
        _ configuration: ServeConfiguration, _ store: any EventStore, _ statements: StatementProcesses, _ log: OwnLog
    ) throws -> AlertRunner? {
        // An empty folder may get its first alert later.
        if configuration.alerts == nil, !configuration.alertState.exists { return nil }
        let rules = configuration.alerts?.rules ?? []
        return try AlertRunner(
            rules: rules, store: store, statements: statements, file: configuration.alertState,
            sender: AlertSender(secrets: configuration.alertSecrets, version: Release.version),
            masking: MaskingPolicy(configuration.team.definitions)
        ) { level, message, attributes in log.event("daybook.alert", level, message, attributes) }
    }

    /// Starts, and returns the inspector's address.
    /// - Throws: ``HTTPServerError``, one line that says what to do.
    func start() throws -> String {
        try server.start()
        log.event(
            "daybook.serve.started", .info, "Listening on \(server.endpoints.joined(separator: " and ")).",
            ["endpoints": .array(server.endpoints.map { .string($0) }), "tls": .bool(configuration.isSecure)])
        if let exposure = configuration.exposure {
            log.event("daybook.serve.exposed", .warning, "\(exposure), as --insecure allows.")
        }
        let term = configuration.server.tls.flatMap { CertificateTerm(pem: $0.certificateChain) }
        if let warning = term?.warning(at: PipelineClock.system.wall()) {
            log.event("daybook.serve.certificate", .warning, warning)
        }
        let duties = dutyThreads.run { [self] in
            await withTaskGroup { group in
                group.addTask { await self.everySecond { self.readKeys() } }
                group.addTask { await self.performDuties() }
                group.addTask { await self.keepRetention() }
                group.addTask { await self.everySecond { await self.noticeOthers() } }
                group.addTask { await self.storeDuties.run() }
                if let quota = self.configuration.storeQuota { group.addTask { await self.keep(quota) } }
                guard let alerts = self.alerts else { return }
                group.addTask {
                    await self.everySecond {
                        await self.readAlerts(for: alerts)
                        await alerts.evaluate(at: PipelineClock.system.wall())
                    }
                }
                group.addTask {
                    await self.everySecond { await alerts.startDelivering(at: PipelineClock.system.wall()) }
                }
            }
        }
        self.duties.withLock { $0 = duties }
        let host = Self.reachable(server.endpoints.first ?? "", names: configuration.server.hostNames)
        return "\(configuration.isSecure ? "https" : "http")://\(host)/#token=\(configuration.token.text)"
    }

    /// An address that a browser can open: replaces a wildcard by a served name.
    static func reachable(_ endpoint: String, names: [String]) -> String {
        guard endpoint.hasPrefix("0.0.0.0:") || endpoint.hasPrefix("[::]:"), let colon = endpoint.lastIndex(of: ":")
        else { return endpoint }
        let port = endpoint[colon...]
        guard let name = names.first else { return "localhost" + port }
        return name.contains(":") ? name : name + port
    }

    func stop() async {
        log.event("daybook.serve.stopping", .info, "Stopping: answering the requests in progress.")
        let duties = duties.withLock { $0 }
        duties?.cancel()
        // Waiting callers get an error at once.
        statements.stop()
        alertStatements.stop()
        insightStatements.stop()
        notices.close()
        await server.stop()
        await duties?.value
        await alerts?.stop()
        dutyThreads.stop()
        await log.close()
        await store.close()
    }

    /// Runs every second until the task is cancelled.
    private func performDuties() async {
        var report = RefusalReport()
        var storeReport = StoreReport()
        var unreadReport = UnreadReport()
        await everySecond { [self] in
            if let change = storeReport.next(metrics.storeFailures, at: .now) {
                log.event("daybook.store", change.isFailure ? .error : .info, change.message)
            }
            if let names = unreadReport.next(metrics.unread) {
                log.event(
                    "daybook.ingest.unread", .warning,
                    "Not read in requests, for it is not known here: \(names.joined(separator: ", ")). "
                        + "Each is told once; daybook_ingest_unread_total in /metrics counts them.",
                    ["members": .array(names.map { .string($0) })])
            }
            if let refused = report.next(metrics.refusals, at: .now) {
                let words = refused.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
                log.event(
                    "daybook.ingest.refused", .warning, "Refused in the last minute: \(words.joined(separator: ", ")).",
                    Attributes(refused.sorted { $0.key < $1.key }.map { ($0.key, .int(Int64($0.value))) }))
            }
        }
    }

    /// Notifies open pages of records stored by others: another collector on the store, or an import.
    private func noticeOthers() async {
        guard notices.readers > 0, let head = try? await store.head() else { return }
        notices.notify(head: head)
    }

    /// Applies retention at the start and every hour. After a failure, such as a full disk, retries every minute and
    /// logs once.
    private func keepRetention() async {
        guard !configuration.retention.isEmpty else { return }
        repeat {
            do {
                let erased = try await store.retain(configuration.retention, now: PipelineClock.system.wall())
                if erased > 0 {
                    log.event(
                        "daybook.retention.erased", .info, "Erased \(erased) records that are no longer kept.",
                        ["records": .int(erased)])
                }
                retention.end()
            } catch {
                if retention.note() {
                    log.event(
                        "daybook.retention.erased", .error,
                        "Records that are no longer kept could not be erased: \(error)")
                }
            }
            // Retention is in days, so an hour's delay does not matter.
        } while (try? await Task.sleep(for: .seconds(retention.isFailing ? 60 : 3_600))) != nil
    }

    /// Measures the store at the start and every five seconds.
    private func keep(_ quota: StoreQuota) async {
        repeat {
            switch await quota.measure(store) {
            case true?:
                log.event(
                    "daybook.store.quota", .error,
                    "The store has reached its quota of \(quota.limit) bytes: no records are accepted until some are "
                        + "erased or the quota is raised.")
            case false?: log.event("daybook.store.quota", .info, "The store is below its quota: records are accepted.")
            case nil: break
            }
            // Others may fill the store, too, so its size is only known by asking.
        } while (try? await Task.sleep(for: .seconds(5))) != nil
    }

    /// Until the task is cancelled.
    private func everySecond(_ duty: () async -> Void) async {
        while (try? await Task.sleep(for: .seconds(1))) != nil { await duty() }
    }

    private func readAlerts(for runner: AlertRunner) async {
        do {
            let rules = try alertFiles.withLock { try $0?.readIfChanged() == true ? $0?.rules : nil }
            guard let rules else { return }
            await runner.replace(with: rules)
            log.event("daybook.alerts.read", .info, "The alerts were reloaded.")
        } catch let problems as AlertFolder.Problems {
            log.event("daybook.alerts.read", .error, "The alerts were not reloaded: \(problems.line)")
        } catch {
            log.event("daybook.alerts.read", .error, "The alerts were not reloaded: \(error)")
        }
    }

    private func readKeys() {
        do {
            guard try keys.withLock({ try $0?.readIfChanged() ?? false }) else { return }
            log.event("daybook.keys.read", .info, "The keys were reloaded.")
        } catch {
            log.event("daybook.keys.read", .error, "The keys were not reloaded: \(error)")
        }
    }
}

extension KeyRing {
    /// What a request's key permits in the inspector, or its other purpose; `nil` without a known key.
    fileprivate func access(_ headers: HTTPHeaders) -> InspectorAccess? {
        if case .accepted = judge(headers, for: .manage) { return .everything }
        if case .accepted = judge(headers, for: .read) { return .reading }
        if case .accepted = judge(headers, for: .ingest) { return .sending }
        if case .accepted = judge(headers, for: .metrics) { return .measuring }
        return nil
    }
}

final class RetentionFailures: Sendable {
    private let state = Mutex((count: 0, isFailing: false))

    var isFailing: Bool { state.withLock { $0.isFailing } }

    /// - Returns: whether it is the first failure in a row.
    func note() -> Bool {
        state.withLock { state in
            defer { state = (state.count + 1, true) }
            return !state.isFailing
        }
    }

    func end() { state.withLock { $0.isFailing = false } }

    func write(to text: inout PrometheusText) {
        text.add(
            "daybook_retention_failures_total", .counter,
            "Attempts to erase records that are no longer kept which failed.", state.withLock { $0.count })
    }
}

/// Summarizes refusals once a minute, so that a flood of them does not flood the log (pure).
struct RefusalReport {
    private var last: [String: Int] = [:]
    private var lastTime: ContinuousClock.Instant?

    /// Refusals by reason since the last report; `nil` if there were none, or the minute is not over.
    mutating func next(_ counts: [String: Int], at now: ContinuousClock.Instant) -> [String: Int]? {
        guard let lastTime else {
            lastTime = now
            return nil
        }
        guard now - lastTime >= .seconds(60) else { return nil }
        self.lastTime = now
        let growth = counts.reduce(into: [String: Int]()) { growth, count in
            let more = count.value - last[count.key, default: 0]
            if more > 0 { growth[count.key] = more }
        }
        last = counts
        return growth.isEmpty ? nil : growth
    }
}

/// Reports each unknown member once (pure).
struct UnreadReport {
    private var told: Set<String> = []

    /// New names, if any.
    mutating func next(_ unread: Unread) -> [String]? {
        let names = Set(unread.counts.keys).subtracting(told).sorted()
        told.formUnion(names)
        return names.isEmpty ? nil : names
    }
}

/// Reports whether the store accepts records (pure): at each change, for each new cause, and every minute during an
/// outage.
struct StoreReport {
    /// The most causes reported at once per outage; causes may contain numbers.
    private static let mostCauses = 20
    private var isFailing = false
    private var causes: Set<String> = []
    private var told = 0
    private var lastTime: ContinuousClock.Instant?

    /// The message due now, if any.
    mutating func next(
        _ failures: IngestMetrics.StoreFailures, at now: ContinuousClock.Instant
    ) -> (message: String, isFailure: Bool)? {
        let cause = failures.cause ?? ""
        let count = failures.count - told
        let hasChanged = isFailing != failures.isLasting
        isFailing = failures.isLasting
        if hasChanged, !isFailing {
            causes = []
            (told, lastTime) = (failures.count, now)
            return ("The store accepts records again.", false)
        }
        let isNew = count > 0 && causes.count < Self.mostCauses && causes.insert(cause).inserted
        let isMinuteOver = lastTime.map { now - $0 >= .seconds(60) } ?? true
        guard hasChanged || isNew || count > 0 && isMinuteOver else { return nil }
        (told, lastTime) = (failures.count, now)
        if isFailing, hasChanged || isNew {
            return ("Records cannot be stored, because the store failed: \(cause)", true)
        }
        let batches = count == 1 ? "1 batch" : "\(count) batches"
        let others = isFailing ? "" : " while others were"
        return ("\(batches) could not be stored\(others), because the store failed: \(cause)", true)
    }
}
