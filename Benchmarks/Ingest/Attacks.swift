import DaybookBase
import DaybookCollector
import DaybookRequests
import DaybookStore
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation

/// The cost to four senders of all known attacks at once: by readers, connections, webhooks, names, claims on other
/// streams, and endless files.
struct Attacks {
    struct Missed: Error, CustomStringConvertible { let description: String }

    let daybook: String
    /// The duration of the attacks in seconds.
    let seconds: Int

    /// Times four senders under attack and as long without, half before and half after since a machine's speed varies;
    /// prints the results beside the promises.
    /// - Throws: ``Missed`` if a promise was broken.
    func run() async throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let targets = try AttackTargets()
        defer { targets.stop() }
        let (app, reader) = (APIKey(), APIKey())
        try KeyFile.change(folder.path + "/keys", creates: true) { keys in
            keys = [
                StoredKey(app, name: "app", purpose: .ingest, created: 0, quota: KeyQuota()),
                StoredKey(reader, name: "reader", purpose: .read, created: 0, quota: KeyQuota()),
            ]
        }
        try Self.writeFiles(in: folder.path, targets)
        let collector = try RunningCollector(
            daybook, store: "sqlite:\(folder.path)/store.sqlite",
            options: [
                "--keys", folder.path + "/keys", "--alerts", folder.path + "/alerts",
                "--alerts-state", folder.path + "/alerts.json", "--boards", folder.path + "/boards",
                "--checklists", folder.path + "/checklists",
            ])
        var isStopped = false
        defer { if !isStopped { collector.stop() } }

        let senders = try (0..<4).map {
            try PacedClient(number: $0, port: collector.port, key: app.text, batches: (2 * seconds + 10) * 2)
        }
        _ = try senders.send(for: 5, collector)
        var alone = try senders.send(for: seconds / 2, collector).times
        let attack = Attack(port: collector.port, app: app.text, reader: reader.text, token: collector.token)
        attack.begin()
        let beside = try senders.send(for: seconds, collector)
        let counts = attack.end()
        alone += try senders.send(for: seconds - seconds / 2, collector).times
        let before = ContinuousClock.now
        collector.stop()
        isStopped = true
        let stopTime = (ContinuousClock.now - before).inSeconds

        let (quiet, busy) = (Percentile.of99(alone), Percentile.of99(beside.times))
        let acknowledged = senders.reduce(0) { $0 + $1.acknowledged }
        let missing = acknowledged - (try await Self.stored(in: folder.path + "/store.sqlite"))
        print(
            "attacks in \(seconds) s: "
                + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        var missed: [String] = []
        func say(_ name: String, _ seen: String, promise: String, _ isKept: Bool) {
            print("  \(name): \(seen) (\(promise))\(isKept ? "" : ": MISSED")")
            if !isKept { missed.append(name) }
        }
        say(
            "p99 of a sender",
            "\(Ratio.text(quiet)) ms alone, \(Ratio.text(busy)) ms beside them, \(Ratio.text(busy / quiet))×",
            promise: "under 3×", busy < 3 * quiet)
        say("memory", "\(beside.peakMegabytes) MB", promise: "under 512 MB", beside.peakMegabytes < 512)
        say(
            "requests of the senders refused", "\(beside.refused) of \(beside.times.count)", promise: "none",
            beside.refused == 0)
        say("acknowledged records missing", "\(missing) of \(acknowledged)", promise: "none", missing == 0)
        say(
            "wrong answers of /healthz", "\(beside.unhealthy) of \(beside.asked)", promise: "none",
            beside.unhealthy == 0)
        say("time to stop", "\(Ratio.text(stopTime)) s", promise: "under 15 s", stopTime < 15)
        if !missed.isEmpty { throw Missed(description: "not as promised: \(missed.joined(separator: ", "))") }
    }

    /// Alerts that notify each target of a thousand labels, and files without an end.
    private static func writeFiles(in folder: String, _ targets: AttackTargets) throws {
        let files = FileManager.default
        for name in ["alerts", "boards", "checklists"] {
            try files.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        // Boards are read on request; an endless checklist is refused at the start.
        mkfifo("\(folder)/boards/endless.md", 0o600)
        let alerts = targets.ports.sorted { $0.value < $1.value }.map { manner, port in
            """
            # \(manner)

            ```sql
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            SELECT 'label ' || i, abs(random() % 2) FROM n
            ```

            - every 1s
            - when value > 0
            - notify http://127.0.0.1:\(port)/hook
            """
        }
        try Data(alerts.joined(separator: "\n\n").utf8).write(to: URL(fileURLWithPath: folder + "/alerts/hooks.md"))
    }

    private static func stored(in path: String) async throws -> Int {
        let store = try SQLiteStore(path: path, access: .readOnly)
        var limits = QueryLimits()
        limits.time = .seconds(60)
        let answer = try await store.query(
            "SELECT count(*) FROM records WHERE installation LIKE 'installation-0000-%'", limits: limits)
        await store.close()
        guard case .integer(let count)? = answer.rows.first?.first else { return 0 }
        return Int(count)
    }
}

/// A sender with its own stream, two batches a second. Used on one thread at a time.
private final class PacedClient {
    private let requests: [[UInt8]]
    private let port: UInt16
    private let key: String
    private var socket: CollectorSocket
    private var next = 0
    /// Records whose batch was answered with 200.
    private(set) var acknowledged = 0

    init(number: Int, port: UInt16, key: String, batches: Int) throws {
        requests = SampleRequests(client: number, count: batches).compressed
        (self.port, self.key) = (port, key)
        socket = try CollectorSocket(port: port, key: key)
    }

    /// Sends the next batch until it is accepted.
    /// - Returns: Milliseconds to the 200, and how often it was refused or the connection broke.
    func send() -> (milliseconds: Double, refused: Int)? {
        guard next < requests.count else { return nil }
        let start = ContinuousClock.now
        var refused = 0
        while refused < 100 {
            do {
                try socket.post(requests[next])
                next += 1
                acknowledged += 512
                return ((ContinuousClock.now - start).inSeconds * 1_000, refused)
            } catch {
                refused += 1
                Thread.sleep(forTimeInterval: 0.1)
                if let again = try? CollectorSocket(port: port, key: key) { socket = again }
            }
        }
        return nil
    }
}

/// What senders observed in some seconds.
private struct Sight: Sendable {
    var times: [Double] = []
    var refused = 0
    var asked = 0
    var unhealthy = 0
    var peakMegabytes = 0
}

extension [PacedClient] {
    /// Each sends two batches a second; health is checked as often.
    fileprivate func send(for seconds: Int, _ collector: RunningCollector) throws -> Sight {
        let sight = Mutex(Sight())
        let end = ContinuousClock.now + .seconds(seconds)
        let threads = DispatchGroup()
        for client in self {
            // Sound: only this thread uses it until the group is done.
            nonisolated(unsafe) let client = client
            threads.enter()
            Thread.detachNewThread {
                defer { threads.leave() }
                while ContinuousClock.now < end {
                    let due = ContinuousClock.now + .milliseconds(500)
                    guard let (milliseconds, refused) = client.send() else { break }
                    sight.withLock {
                        $0.times.append(milliseconds)
                        $0.refused += refused
                    }
                    Thread.sleep(forTimeInterval: Swift.max(0, (due - .now).inSeconds))
                }
            }
        }
        while ContinuousClock.now < end {
            let start = ContinuousClock.now
            let isHealthy = (try? CollectorSocket(port: collector.port).status(of: "/healthz")) == 200
            let isSoon = ContinuousClock.now - start < .seconds(1)
            let usage = try collector.usage()
            sight.withLock {
                $0.asked += 1
                if !isHealthy || !isSoon { $0.unhealthy += 1 }
                $0.peakMegabytes = Swift.max($0.peakMegabytes, usage.residentMegabytes)
            }
            Thread.sleep(forTimeInterval: 0.25)
        }
        threads.wait()
        return sight.withLock { $0 }
    }
}

/// The attacks, each on its own threads, until they are ended.
private final class Attack: Sendable {
    private let port: UInt16
    private let app: String
    private let reader: String
    private let token: String
    private let isOver = Atomic(false)
    private let counts = Mutex<[String: Int]>([:])
    private let threads = DispatchGroup()

    init(port: UInt16, app: String, reader: String, token: String) {
        (self.port, self.app, self.reader, self.token) = (port, app, reader, token)
    }

    func begin() {
        let definitions = Self.check("definitions.md", Self.manyValues)
        let checklist = Self.check("checklist.md", Self.manyUnknownEvents)
        for _ in 0..<8 {
            attack("checks of definitions") { [reader] in try $0.ask("definitions/check", definitions, reader) }
        }
        for _ in 0..<4 {
            attack("checks of checklists") { [reader] in try $0.ask("checklists/check", checklist, reader) }
        }
        for _ in 0..<4 {
            attack("reads of files without an end") { [token] in _ = try $0.get("/api/v1/boards", token: token) }
        }
        for path in ["releases", "tags", "facets", "records?limit=1000&filter=absent%20text", "sessions?limit=100"] {
            attack("questions") { [reader] in _ = try $0.get("/api/v1/" + path, token: reader) }
        }
        for _ in 0..<4 {
            attack("statements") { [token] in try $0.run("SELECT count(*) FROM records a, records b", token: token) }
        }
        let names = (0..<64).map(Self.names)
        attack("requests of new names") { [self] socket in
            let number = counts.withLock { $0["requests of new names", default: 0] }
            _ = try socket.exchange(names[number % names.count], type: "application/json", key: app)
        }
        for victim in 0..<4 {
            let claim = Self.claim(on: victim)
            attack("claims on others' streams") { [app] in
                _ = try $0.exchange(claim, type: "application/json", key: app)
            }
        }
        occupy()
    }

    func end() -> [String: Int] {
        isOver.store(true, ordering: .relaxed)
        threads.wait()
        return counts.withLock { $0 }
    }

    /// Repeats an attack, on a new connection if one breaks.
    private func attack(_ name: String, _ body: @escaping @Sendable (CollectorSocket) throws -> Void) {
        threads.enter()
        Thread.detachNewThread { [self] in
            defer { threads.leave() }
            Self.stepBack()
            var socket: CollectorSocket?
            while !isOver.load(ordering: .relaxed) {
                do {
                    let open = try socket ?? CollectorSocket(port: port)
                    socket = open
                    try body(open)
                } catch {
                    socket = nil
                    Thread.sleep(forTimeInterval: 0.02)
                }
                counts.withLock { $0[name, default: 0] += 1 }
            }
        }
    }

    /// More silent connections than there are places, reopened when closed.
    private func occupy() {
        Self.raiseDescriptorLimit()
        threads.enter()
        Thread.detachNewThread { [self] in
            defer { threads.leave() }
            Self.stepBack()
            var open: [CollectorSocket] = []
            while !isOver.load(ordering: .relaxed) {
                if open.count >= 1_500 { open.removeFirst(500) }
                for _ in 0..<100 { if let socket = try? CollectorSocket(port: port) { open.append(socket) } }
                counts.withLock { $0["silent connections", default: 0] += 100 }
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }

    /// A real attacker computes elsewhere: here it shares processors with the collector and its senders, and takes what
    /// these leave. Linux gives thirty-one threads the weight of three of the collector's at a niceness of 10, and of
    /// half a one at 19.
    private static func stepBack() { WorkThreads.stepBack(by: 19) }

    /// To as many files and connections as the system allows this process.
    private static func raiseDescriptorLimit() {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    // MARK: What is sent

    private static func check(_ name: String, _ markdown: String) -> String {
        #"{"name":"\#(name)","markdown":"\#(markdown.replacing("\n", with: "\\n"))"}"#
    }

    private static let manyValues =
        "# feed\n\n## open\nx\n\n- order: !string 32\n"
        + (0..<45_000).map { "    - `value\($0)`: x" }.joined(separator: "\n")

    private static let manyUnknownEvents =
        "# release\n\n## all\n\n" + (0..<20_000).map { "- [ ] feed.event_\($0) once" }.joined(separator: "\n")

    /// A request of 512 records, each with another version.
    private static func names(_ number: Int) -> [UInt8] {
        let resources = (0..<512).map { index in
            #"{"resource":{"attributes":[{"key":"service.version","value":{"stringValue":"v\#(number).\#(index)"}}]},"#
                + #""scopeLogs":[{"logRecords":[{"timeUnixNano":"1763000000000000000","eventName":"name.n\#(number * 512 + index)"}]}]}"#
        }
        return Array(#"{"resourceLogs":[\#(resources.joined(separator: ","))]}"#.utf8)
    }

    /// A request without records that claims all numbers of a sender's stream as settled.
    private static func claim(on client: Int) -> [UInt8] {
        let stream = "0123456789abcdef0123456789abcdef012345678\(client)abcdef"
        func text(_ key: String, _ value: String) -> String {
            #"{"key":"\#(key)","value":{"stringValue":"\#(value)"}}"#
        }
        func number(_ key: String, _ value: Int) -> String { #"{"key":"\#(key)","value":{"intValue":"\#(value)"}}"# }
        let scope = [
            text("daybook.stream", stream), text("daybook.output", "otlp"), number("daybook.interval.after", 2),
            number("daybook.interval.through", 1 << 62),
        ]
        return Array(
            (#"{"resourceLogs":[{"scopeLogs":[{"scope":{"name":"daybook","attributes":["# + scope.joined(separator: ",")
                + #"]},"logRecords":[]}]}]}"#).utf8)
    }
}

extension CollectorSocket {
    /// Requests a check from the API; any response will do.
    fileprivate func ask(_ path: String, _ json: String, _ token: String) throws {
        _ = try post(path, json, token: token)
    }
}
