import CCurl
import DaybookBase
import DaybookStore

/// Speaks HTTP through libcurl: one request after the other, or several at once, each waited for by the thread that made
/// it, which must not be one of Swift's cooperative ones. Belongs to one thread at a time.
///
/// Not through `URLSession`: Foundation on Linux (6.3) keeps a core busy while it waits for the answer to a long body.
final class ClickHouseRequest {
    /// What is sent where.
    struct Post {
        var body: [UInt8]
        var url: String
    }

    /// What came back.
    struct Answer: Sendable {
        var status = 0
        var isTabSeparated = false
        var bytes: [UInt8] = []
        /// Whether bytes beyond the limit were left out.
        var isCut = false
    }

    /// libcurl's own memory, made once for the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// A `CURLM`: `nil` without memory. Sound: it is this object's from its first to its last moment, and only the thread
    /// that it belongs to uses it; ``ClickHouseStopper`` says what else may touch it.
    private let group: UnsafeMutableRawPointer?
    /// As many as were ever needed at once; each keeps its connection.
    private var transfers: [Transfer] = []

    init() { group = Self.isReady ? curl_multi_init() : nil }

    deinit {
        transfers = []
        if let group { curl_multi_cleanup(group) }
    }

    /// Posts bodies, all at once, and waits for the answers.
    /// - Parameters:
    ///   - headers: whole lines.
    ///   - isOnce: that they must not come twice, so they go over connections of their own: where one that was used before
    ///     turns out to be gone, libcurl sends again by itself.
    ///   - limit: bytes of an answer at most; the rest is not read.
    ///   - stopper: stops waiting from another thread.
    /// - Returns: for each post its answer, or why there is none.
    func post(
        _ posts: [Post], headers: [String], isOnce: Bool, timeout: Duration, limit: Int, stopper: ClickHouseStopper?
    ) -> [Result<Answer, ClickHouseError>] {
        while transfers.count < posts.count, let transfer = Transfer() { transfers.append(transfer) }
        guard let group, transfers.count >= posts.count else {
            let error = ClickHouseError(reason: .unreached, message: "There is no memory for a connection.")
            return posts.map { _ in .failure(error) }
        }
        var lines: UnsafeMutablePointer<curl_slist>?
        // Without "Expect" servers need not be waited for before the body.
        for line in headers + ["Expect:"] { lines = curl_slist_append(lines, line) }
        defer { curl_slist_free_all(lines) }
        let used = Array(transfers.prefix(posts.count))
        for (transfer, post) in zip(used, posts) {
            transfer.begin(post.url, lines, isOnce: isOnce, timeout: timeout, limit: limit)
        }
        // Sound: the bodies are there until all transfers have ended.
        let outcomes = Self.lend(posts.map(\.body)[...]) { bodies in
            for (transfer, body) in zip(used, bodies) { transfer.lend(body) }
            return perform(used, on: group, stopper)
        }
        return zip(used, outcomes).map { $0.answer($1) }
    }

    /// Lends all bodies at the same time.
    private static func lend<Value>(
        _ bodies: ArraySlice<[UInt8]>, _ lent: [UnsafeRawBufferPointer] = [],
        to use: ([UnsafeRawBufferPointer]) -> Value
    ) -> Value {
        guard let body = bodies.first else { return use(lent) }
        return body.withUnsafeBytes { lend(bodies.dropFirst(), lent + [$0], to: use) }
    }

    /// What became of each; `nil` where it was stopped.
    private func perform(
        _ transfers: [Transfer], on group: UnsafeMutableRawPointer, _ stopper: ClickHouseStopper?
    ) -> [CURLcode?] {
        for transfer in transfers { curl_multi_add_handle(group, transfer.handle) }
        defer { for transfer in transfers { curl_multi_remove_handle(group, transfer.handle) } }
        stopper?.begin(group)
        defer { stopper?.end() }
        var running: Int32 = 1
        while true {
            guard curl_multi_perform(group, &running) == CURLM_OK else {
                return transfers.map { _ in CURLE_OUT_OF_MEMORY }
            }
            if stopper?.isCancelled == true { return transfers.map { _ in nil } }
            if running == 0 { break }
            // Until something happens, the stopper included; libcurl sees to its own times.
            curl_multi_poll(group, nil, 0, 10_000, nil)
        }
        var ended: [UnsafeMutableRawPointer: CURLcode] = [:]
        var rest: Int32 = 0
        while let message = curl_multi_info_read(group, &rest) {
            ended[message.pointee.easy_handle] = message.pointee.data.result
        }
        return transfers.map { ended[$0.handle] ?? CURLE_OUT_OF_MEMORY }
    }
}

/// One request under way, and what comes back for it.
private final class Transfer {
    /// How long a server may take to be connected: one that has vanished says nothing, and another can be asked.
    private static let connecting: Duration = .seconds(10)

    /// A `CURL`. Sound: it is this object's from its first to its last moment.
    let handle: UnsafeMutableRawPointer
    /// Where libcurl writes what went wrong. Sound: it has the size that libcurl asks for, and goes after the handle.
    private let failure = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var limit = 0
    private var received = ClickHouseRequest.Answer()

    /// `nil` without memory.
    init?() {
        failure.initialize(repeating: 0)
        guard let handle = curl_easy_init() else {
            failure.deallocate()
            return nil
        }
        self.handle = handle
    }

    deinit {
        curl_easy_cleanup(handle)
        failure.deallocate()
    }

    /// Forgets the request before, and sets all of the new one but its body.
    /// - Parameter lines: of the head; they are there until the transfer has ended.
    func begin(
        _ url: String, _ lines: UnsafeMutablePointer<curl_slist>?, isOnce: Bool, timeout: Duration, limit: Int
    ) {
        self.limit = limit
        received = ClickHouseRequest.Answer()
        curl_easy_reset(handle)
        failure[0] = 0
        daybook_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, failure.baseAddress)
        daybook_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        daybook_curl_set_number(handle, CURLOPT_TCP_KEEPALIVE, 1)
        daybook_curl_set_number(handle, CURLOPT_FRESH_CONNECT, isOnce ? 1 : 0)
        daybook_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(min(timeout, Self.connecting)))
        daybook_curl_set_number(handle, CURLOPT_TIMEOUT_MS, Self.milliseconds(timeout))
        daybook_curl_set_pointer(handle, CURLOPT_URL, url)
        daybook_curl_set_pointer(handle, CURLOPT_HTTPHEADER, lines)
        // Sound: this object is there until the transfer has ended, for the request that performs it keeps it.
        daybook_curl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
        daybook_curl_set_writer(handle) { bytes, size, count, transfer in
            guard let bytes, let transfer else { return 0 }
            return Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue()
                .take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    /// Sets the body, which must stay where it is until the transfer has ended.
    func lend(_ body: UnsafeRawBufferPointer) {
        daybook_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        // Of an empty body nothing is read, but without an address libcurl would ask for one.
        daybook_curl_set_pointer(handle, CURLOPT_POSTFIELDS, body.baseAddress ?? UnsafeRawPointer(handle))
    }

    /// How many bytes were taken: fewer than there are stop the transfer.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        received.bytes += bytes.prefix(limit - received.bytes.count)
        received.isCut = received.bytes.count >= limit
        return received.isCut ? 0 : bytes.count
    }

    /// The answer to the transfer that has ended.
    /// - Parameter outcome: what libcurl said; `nil` where it was stopped.
    func answer(_ outcome: CURLcode?) -> Result<ClickHouseRequest.Answer, ClickHouseError> {
        guard let outcome else {
            return .failure(ClickHouseError(reason: .stopped, message: "Nobody waits for it any more."))
        }
        guard outcome == CURLE_OK || received.isCut else { return .failure(error(outcome)) }
        var answer = received
        received = ClickHouseRequest.Answer()
        var status = 0
        daybook_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
        answer.status = status
        var type: UnsafePointer<CChar>?
        daybook_curl_get_text(handle, CURLINFO_CONTENT_TYPE, &type)
        answer.isTabSeparated = type.map { String(cString: $0).hasPrefix("text/tab-separated-values") } ?? false
        return .success(answer)
    }

    private func error(_ outcome: CURLcode) -> ClickHouseError {
        var connected: curl_off_t = 0
        daybook_curl_get_size(handle, CURLINFO_PRETRANSFER_TIME_T, &connected)
        let told = failure.baseAddress.map { String(cString: $0) } ?? ""
        // A request is sent only behind this moment.
        let reason: ClickHouseError.Reason =
            connected == 0 ? .unreached : outcome == CURLE_OPERATION_TIMEDOUT ? .stopped : .lost
        return ClickHouseError(
            reason: reason, message: told.isEmpty ? String(cString: curl_easy_strerror(outcome)) : told)
    }

    private static func milliseconds(_ time: Duration) -> Int {
        // To libcurl 0 means no limit at all.
        max(1, Int(min(time / .milliseconds(1), 86_400_000)))
    }
}

/// Stops a request that nobody waits for any more. Safe to share between threads.
final class ClickHouseStopper: Sendable {
    /// A `CURLM` with a transfer under way. Sound to share: it is kept only while its owner waits for it, and all that is
    /// done to it here libcurl allows from any thread.
    private struct Waiting: @unchecked Sendable {
        let transfers: UnsafeMutableRawPointer

        func wake() { curl_multi_wakeup(transfers) }
    }

    private struct State {
        var waiting: Waiting?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func begin(_ transfers: UnsafeMutableRawPointer) {
        let waiting = Waiting(transfers: transfers)
        state.withLock { $0.waiting = waiting }
    }

    func end() { state.withLock { $0.waiting = nil } }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.waiting?.wake()
        }
    }
}

/// What a server, or the way to it, said.
struct ClickHouseError: Error {
    /// What became of the statement.
    enum Reason {
        /// It was never sent.
        case unreached
        /// It may have been carried out or not.
        case lost
        /// We stopped waiting for it.
        case stopped
        /// The server refused it, with its number for that. Source: ClickHouse, `ErrorCodes.cpp`.
        case refused(Int)
    }

    /// Tables and databases that are not there.
    private static let missing: Set = [60, 81]
    /// Time, rows or memory that ran out.
    private static let limits: Set = [158, 159, 160, 241, 307, 396]
    /// Too many parts, no space, a broken part, no quorum.
    private static let storage: Set = [225, 242, 243, 246, 252, 285, 319, 999]
    /// Who we are, or the way to the other servers.
    private static let access: Set = [192, 193, 194, 209, 210, 279, 516]

    /// A node whose tables cannot be written now, that cannot reach the keeper or the others, or has only come up.
    private static let ofNode: Set = storage.union([32, 60, 81, 209, 210, 225, 279, 286, 289])

    var reason: Reason
    /// One line.
    var message: String

    private var code: Int? { if case .refused(let code) = reason { code } else { nil } }

    /// Whether the server says that there is no such table or database.
    var isMissing: Bool { code.map(Self.missing.contains) ?? false }
    /// Whether the statement would have written.
    var isReadOnly: Bool { code == 164 }
    /// Whether too few replicas are alive for an insert to be on as many as it wants.
    var isAlone: Bool { code == 285 }
    /// Whether another insert that wants to be on several replicas is not there yet; the servers before 21 take one after
    /// the other.
    var isInTurn: Bool { code == 286 }
    /// Whether the server was not there, or went away meanwhile.
    var isAway: Bool {
        switch reason {
        case .unreached, .lost: true
        case .stopped, .refused: false
        }
    }
    /// Whether the same may succeed on another node.
    var isOfNode: Bool {
        switch reason {
        case .unreached, .lost, .stopped: true
        case .refused(let code): Self.ofNode.contains(code)
        }
    }
    /// Whether time or memory ran out.
    var isLimit: Bool { if case .stopped = reason { true } else { code.map(Self.limits.contains) ?? false } }

    /// As an answer to somebody who reads.
    var whileReading: StoreError {
        guard let code else { return StoreError(isLimit ? .limit : .unavailable, message) }
        if Self.storage.contains(code) { return StoreError(.storage, message) }
        if Self.access.contains(code) { return StoreError(.unavailable, message) }
        return StoreError(isLimit ? .limit : .badStatement, message)
    }

    /// As an answer to somebody whose records are to be stored: never that they cannot be, for they shall come again.
    var whileWriting: StoreError {
        let error = whileReading
        return error.code == .unavailable ? error : StoreError(.storage, message)
    }
}
