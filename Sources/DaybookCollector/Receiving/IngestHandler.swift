import DaybookBase
import DaybookChecklist
import DaybookHTTP
import DaybookOTLP
import DaybookStore
import DaybookTools
import Foundation

/// What a collector may do besides storing.
package struct IngestOptions {
    /// Of the whole store; `nil` is unlimited.
    package var quota: StoreQuota?
    /// Validates stored records.
    package var violations: ViolationLog?
    /// Converts a team's own requests.
    package var requests: TeamRequests?
    /// Of a body.
    package var limits = BodyLimits()
    /// Drops resent records of senders without numbers.
    package var repeats: RepeatedRecords?
    /// For decoding; `nil` for all processors.
    package var room: DecodingRoom?
    /// How long a health check waits for the store.
    package var patience = Duration.milliseconds(250)
    /// Seconds for `Retry-After`, spread so that clients do not return all at once.
    package var retryDelay: @Sendable () -> Int = { Int.random(in: 1...5) }
}

/// Receives records over HTTP and stores them: `POST /v1/logs` and `/v1/traces` (OTLP in protobuf or JSON), `POST
/// /v1/events` (NDJSON), a team's own requests below `/v1/requests/`, and `GET /healthz`.
///
/// A 200 means that the store has the records durably. Whatever parses is accepted. Errors carry a `google.rpc.Status`
/// in the request's format: 400 for what does not parse (do not resend), 401 and 403 for the key, 405, 413, 415, 429
/// for a quota, and 503 for overload or a store failure. 429 and 503 have `Retry-After`: resend, and the store drops
/// duplicates of numbered records. Unauthorized requests are refused on the head alone. Thread-safe.
package struct IngestHandler: HTTPHandler {
    private static let unhealthyNanoseconds: UInt64 = 30_000_000_000

    private let store: IngestStore
    private let streams = StreamOwners()
    private let keys: KeyRing?
    private let quota: StoreQuota?
    private let violations: ViolationLog?
    private let requests: TeamRequests?
    private let limits: BodyLimits
    private let repeats: RepeatedRecords?
    private let load: IngestLoad
    private let metrics: IngestMetrics
    private let clock: PipelineClock
    private let retryDelay: @Sendable () -> Int
    private let pulse: Measured<Bool>
    private let room: DecodingRoom

    /// - Parameters:
    ///   - store: receives the records.
    ///   - keys: who may send; `nil`, the default, requires no key.
    ///   - load: limits the bytes in progress.
    ///   - metrics: counters.
    ///   - clock: for records without a time, and for quotas. Default: the system's.
    ///   - configure: sets what is not as by default. Default: nothing.
    package init(
        store: any EventStore, keys: KeyRing? = nil, load: IngestLoad = IngestLoad(),
        metrics: IngestMetrics = IngestMetrics(), clock: PipelineClock = .system,
        configure: (inout IngestOptions) -> Void = { _ in }
    ) {
        var options = IngestOptions()
        configure(&options)
        self.store = IngestStore(metrics.watching(store, clock: clock))
        (self.keys, self.load, self.metrics, self.clock) = (keys, load, metrics, clock)
        (quota, violations, requests) = (options.quota, options.violations, options.requests)
        (limits, repeats, retryDelay) = (options.limits, options.repeats, options.retryDelay)
        room = options.room ?? DecodingRoom(processors: ProcessInfo.processInfo.activeProcessorCount)
        pulse = Measured(age: 0, patience: options.patience, now: clock.monotonic) { (try? await store.head()) != nil }
    }

    package func admit(_ head: HTTPRequest.Head) -> HTTPAdmission {
        do throws(IngestRefusal) {
            let request = try IngestRequest.reading(head).get()
            if request.route == .health { return .accept(bodyLimit: 0) }
            let key = try key(of: head, request)
            try checkRules(for: head, request)
            if let length = head.headers["content-length"].flatMap({ Int($0) }), length > limits.wire {
                throw .tooLarge(limits, request.format)
            }
            guard load.hasRoom else { throw .overloaded(retryAfter: retryDelay(), request.format) }
            if let quota, quota.isReached {
                throw .storeIsFull(quota.limit, retryAfter: 55 + retryDelay(), request.format)
            }
            // Last, so that requests refused for other reasons are not charged.
            if let key, let wait = keys?.takeRequest(key, at: clock.monotonic()) {
                metrics.count(refusedBy: key.name)
                throw .overQuota(key.name, retryAfter: Int(wait.components.seconds) + retryDelay(), request.format)
            }
            return .accept(bodyLimit: limits.wire)
        } catch {
            metrics.count(error, on: IngestRoute(path: head.path))
            return .refuse(error.response)
        }
    }

    /// The key's name.
    package func sender(of head: HTTPRequest.Head) -> String? {
        guard let keys, case .accepted(let key) = keys.judge(head.headers, for: .ingest) else { return nil }
        return key.name
    }

    package func work(of head: HTTPRequest.Head) -> HTTPWork {
        IngestRoute(path: head.path) == .health ? .health : .ingest
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        let route = IngestRoute(path: request.head.path)
        if route == .health, ["GET", "HEAD"].contains(request.head.method) { return await health() }
        do throws(IngestRefusal) {
            let reading = try IngestRequest.reading(request.head).get()
            // Check again: a transport that skips admission must not skip the keys.
            let key = try key(of: request.head, reading)
            try checkRules(for: request.head, reading)
            let address = PeerAddress.network(of: request.head.peer)
            let (body, cost) = try await room.inflate(for: key?.name, at: address) {
                () throws(IngestRefusal) -> ([UInt8], DecodingCost) in
                let body = try self.body(of: request, reading, key)
                return (body, Self.cost(of: body, reading))
            }
            let answer = await load.hold(body.count) {
                await result(of: body, cost, request.head, reading, key, address)
            }
            guard let answer else { throw .overloaded(retryAfter: retryDelay(), reading.format) }
            let outcome = try answer.get()
            metrics.count(outcome, on: reading.route, wireBytes: request.body.count)
            if let key { metrics.count(outcome, bytes: body.count, of: key.name) }
            return reading.success(outcome)
        } catch {
            metrics.count(error, on: route)
            return error.response
        }
    }

    private func key(of head: HTTPRequest.Head, _ request: IngestRequest) throws(IngestRefusal) -> StoredKey? {
        guard let keys else { return nil }
        switch keys.judge(head.headers, for: .ingest) {
        case .accepted(let key): return key
        case .missing: throw .unauthenticated("A key is needed: Authorization: Bearer KEY.", request.format)
        case .unknown: throw .unauthenticated("The key is unknown or was revoked.", request.format)
        case .otherPurpose: throw .forbidden("This key is not for sending records.", request.format)
        }
    }

    /// Only authorized senders learn which requests the rules match.
    private func checkRules(for head: HTTPRequest.Head, _ request: IngestRequest) throws(IngestRefusal) {
        guard request.route == .requests else { return }
        if ["cross-site", "same-site"].contains(head.headers["sec-fetch-site"]) { throw .crossSite() }
        guard let requests, requests.take(head) else {
            throw .noRule(head.method, head.path, hasRules: requests != nil)
        }
    }

    /// The inflated body, charged to the key's quota.
    private func body(
        of request: HTTPRequest, _ reading: IngestRequest, _ key: StoredKey?
    ) throws(IngestRefusal) -> [UInt8] {
        let body: Result<[UInt8], IngestRefusal>
        do throws(IngestRefusal) {
            body = .success(try reading.body(of: request, limits))
        } catch {
            body = .failure(error)
        }
        if let key {
            // Failed inflation is charged the full limit.
            let bytes = (try? body.get().count) ?? (reading.encoding == nil ? request.body.count : limits.inflated)
            keys?.take(bytes: bytes, key, at: clock.monotonic())
        }
        return try body.get()
    }

    private static func cost(of body: [UInt8], _ reading: IngestRequest) -> DecodingCost {
        switch (reading.route, reading.format) {
        case (.requests, _): .request(body)
        case (_, .protobuf): .protobuf(body)
        case (_, .json): .json(body)
        case (_, .lines): .lines(body)
        }
    }

    private func result(
        of body: [UInt8], _ cost: DecodingCost, _ head: HTTPRequest.Head, _ reading: IngestRequest, _ key: StoredKey?,
        _ address: String
    ) async -> Result<IngestOutcome, IngestRefusal> {
        do throws(IngestRefusal) {
            return .success(
                try await room.run(
                    cost.total, for: key?.name, at: address,
                    decode: { () throws(IngestRefusal) in
                        try self.admitted(body, cost, head, reading, key)
                    },
                    store: { (admitted) async throws(IngestRefusal) in try await self.stored(admitted, reading.format) }
                ))
        } catch {
            return .failure(error)
        }
    }

    private struct AdmittedBody {
        /// Without its batches.
        var decoded: DecodedBody
        var admission: SenderRights.Admission
        var claim: RepeatedRecords.Claim?
        /// Violations to count once it is stored.
        var violations: [RecordRow]
        /// When it was decoded, by the monotonic clock.
        var time: UInt64
    }

    /// All per-record work before the commit; there may be many records.
    private func admitted(
        _ body: [UInt8], _ cost: DecodingCost, _ head: HTTPRequest.Head, _ reading: IngestRequest, _ key: StoredKey?
    ) throws(IngestRefusal) -> AdmittedBody {
        var decoded: DecodedBody
        do throws(OTLPError) {
            if let refusal = cost.refusal { throw refusal }
            decoded = try self.decoded(body, head, reading)
        } catch {
            throw .notDecoded(error.description, isLimit: error.isLimit, reading.format)
        }
        let time = clock.monotonic()
        if let key { keys?.take(records: decoded.batches.reduce(0) { $0 + $1.rows.count }, key, at: time) }
        var claim = repeats?.claim(decoded.batches, at: time)
        if repeats != nil, claim == nil { throw .repeatedWhileStored(retryAfter: retryDelay(), reading.format) }
        // Drop other references, so that the batches are changed in place.
        var batches = claim?.batches ?? decoded.batches
        claim?.batches = []
        decoded.batches = []
        let now = clock.wall()
        for index in batches.indices { batches[index].arrived = now }
        let admission = SenderRights(key: key?.name).admit(consume batches, noting: streams)
        let found = violations?.found(in: admission.batches.map(\.batch)) ?? []
        return AdmittedBody(decoded: decoded, admission: admission, claim: claim, violations: found, time: time)
    }

    private func stored(_ body: AdmittedBody, _ format: IngestFormat) async throws(IngestRefusal) -> IngestOutcome {
        do throws(AppendError) {
            var outcome = try await IngestOutcome.storing(body.admission.batches, in: store)
            outcome.add(body.decoded, body.admission, repeated: body.claim?.repeated ?? 0)
            metrics.count(body.admission)
            body.claim.map { repeats?.settle($0, isStored: true, at: clock.monotonic()) }
            metrics.noteCommit(nanoseconds: clock.monotonic() &- body.time)
            if outcome.stored > 0 { await count(body.violations) }
            return outcome
        } catch {
            body.claim.map { repeats?.settle($0, isStored: false, at: clock.monotonic()) }
            throw refusal(of: error, format)
        }
    }

    private func refusal(of error: AppendError, _ format: IngestFormat) -> IngestRefusal {
        switch error {
        case .rejected(let flaw): return .tooLarge(flaw.description, format)
        case .failed: return .storeFailed(retryAfter: retryDelay(), format)
        }
    }

    /// Counts violations. The records are stored by now, so a failure is only logged; resending would not help.
    private func count(_ found: [RecordRow]) async {
        do throws(AppendError) {
            try await violations?.record(found)
        } catch {
            metrics.noteStoreFailure("violations were not counted: \(error)", at: clock.monotonic())
        }
    }

    private func decoded(
        _ body: [UInt8], _ head: HTTPRequest.Head, _ reading: IngestRequest
    ) throws(OTLPError) -> DecodedBody {
        let now = clock.wall()
        if reading.encoding != nil, body.starts(with: [0x1F, 0x8B]) || body.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            throw OTLPError("The body is compressed twice. Send it compressed once, with one Content-Encoding.")
        }
        if reading.format == .lines, body.starts(with: [0x1F, 0x8B]) {
            throw OTLPError("The body is gzip; the request needs Content-Encoding: gzip.")
        }
        if let requests, reading.route == .requests { return try requests.decoded(head, body, now: now) }
        guard let signal = reading.route.signal else { return try EventLines.decoded(body, now: now) }
        var decoded = DecodedBody()
        decoded.batches =
            reading.format == .protobuf
            ? try OTLPRequest.batches(ofProtobuf: body, signal, now: now, unread: &decoded.unread)
            : try OTLPRequest.batches(ofJSON: body, signal, now: now, unread: &decoded.unread)
        return decoded
    }

    /// Whether the store responds and accepts records. A failed commit counts only for a while: once health checks stop
    /// traffic, no commit could prove recovery. The reason is only logged, because anyone may ask.
    ///
    /// If readers delay the store's answer, the previous one stays valid for a while.
    private func health() async -> HTTPResponse {
        let failure = metrics.snapshot.storeFailure
        let isFailing = failure.map { clock.monotonic() &- $0.time < Self.unhealthyNanoseconds } ?? false
        let answer = isFailing ? nil : await pulse.answer()
        let (status, text) =
            if let answer {
                // No answer yet does not count against a store that has opened.
                answer.value != false && answer.unanswered < Self.unhealthyNanoseconds
                    ? (200, "ok") : (503, "The store does not respond.")
            } else {
                (503, "The store accepts no records.")
            }
        return HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", text: text + "\n")
    }
}

struct DecodedBody {
    var batches: [RecordBatch] = []
    /// Unrecognized members.
    var unread = Unread()
    /// Entries that no rule matches, by what the rules look at.
    var skipped = Unread()
    /// Entries that match a rule but contain no event.
    var refused = RefusedEntries()
}

/// Why entries were refused: each reason with its first entry and a count.
struct RefusedEntries {
    /// The most distinct reasons listed; others are counted.
    private static let most = 8

    private(set) var total = 0
    private var reasons: [(first: RequestEvents.Refusal, count: Int)] = []
    private var others = 0

    mutating func add(_ refusal: RequestEvents.Refusal) {
        total += 1
        if let place = reasons.firstIndex(where: { $0.first.reason == refusal.reason }) {
            reasons[place].count += 1
        } else if reasons.count < Self.most {
            reasons.append((refusal, 1))
        } else {
            others += 1
        }
    }

    /// `POST /a: entry 2: no event: it has no text at item.name (3 entries)`.
    var text: String {
        let texts = reasons.map { $0.first.description + ($0.count > 1 ? " (\($0.count) entries)" : "") }
        return (texts + (others > 0 ? ["\(others) more"] : [])).joined(separator: "; ")
    }
}

/// Bytes of bodies being decoded or waiting for a commit.
///
/// ``DecodingRoom`` limits their decoded size. Thread-safe.
package final class IngestLoad: Sendable {
    private let limit: Int
    private let bytes = Atomic<Int>(0)

    /// - Parameter limit: in bytes; a body alone is always accepted. Default: 64 MiB.
    package init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    package var current: Int { bytes.load(ordering: .relaxed) }

    /// Whether to read one more request.
    var hasRoom: Bool { current < limit }

    /// Counts a body as in progress while `body` runs, if there is room.
    /// - Returns: `nil` if there was no room.
    func hold<Answer: Sendable>(_ count: Int, _ body: () async -> Answer) async -> Answer? {
        let before = bytes.add(count, ordering: .relaxed) - count
        defer { bytes.subtract(count, ordering: .relaxed) }
        guard before == 0 || before + count <= limit else { return nil }
        return await body()
    }
}
