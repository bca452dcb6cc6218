import CCurl
import DaybookBase
import DaybookStore

/// Speaks HTTP through libcurl: one request after the other, each waited for by the thread that made it, which must not be
/// one of Swift's cooperative ones. Belongs to one thread at a time.
///
/// Not through `URLSession`: Foundation on Linux (6.3) keeps a core busy while it waits for the answer to a long body.
final class ClickHouseRequest {
    /// What came back.
    struct Answer: Sendable {
        var status = 0
        var isTabSeparated = false
        var bytes: [UInt8] = []
        /// Whether bytes beyond the limit were left out.
        var isCut = false
    }

    /// How long a server may take to be connected: one that has vanished says nothing, and another can be asked.
    private static let connecting: Duration = .seconds(10)
    /// libcurl's own memory, made once for the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// A `CURL` and a `CURLM`: `nil` without memory. Sound: they are this object's from its first to its last moment, and
    /// only the thread that it belongs to uses them; ``ClickHouseStopper`` says what else may touch the second.
    private let transfer: UnsafeMutableRawPointer?
    private let transfers: UnsafeMutableRawPointer?
    /// Where libcurl writes what went wrong. Sound: it has the size that libcurl asks for, and goes after the handles.
    private let failure = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init() {
        transfer = Self.isReady ? curl_easy_init() : nil
        transfers = Self.isReady ? curl_multi_init() : nil
        failure.initialize(repeating: 0)
    }

    deinit {
        if let transfer { curl_easy_cleanup(transfer) }
        if let transfers { curl_multi_cleanup(transfers) }
        failure.deallocate()
    }

    /// Posts a body and waits for the answer.
    /// - Parameters:
    ///   - headers: whole lines.
    ///   - isOnce: that it must not come twice, so it goes over a connection of its own: where one that was used before
    ///     turns out to be gone, libcurl sends again by itself.
    ///   - limit: bytes of the answer at most; the rest is not read.
    ///   - stopper: stops waiting from another thread.
    /// - Throws: ``ClickHouseError`` where there is no answer.
    func post(
        _ body: [UInt8], to url: String, headers: [String], isOnce: Bool, timeout: Duration, limit: Int,
        stopper: ClickHouseStopper?
    ) throws(ClickHouseError) -> Answer {
        guard let transfer, let transfers else {
            throw ClickHouseError(reason: .unreached, message: "There is no memory for a connection.")
        }
        let receiver = Receiver(limit: limit)
        var lines: UnsafeMutablePointer<curl_slist>?
        // Without "Expect" servers need not be waited for before the body.
        for line in headers + ["Expect:"] { lines = curl_slist_append(lines, line) }
        defer { curl_slist_free_all(lines) }
        begin(transfer, isOnce: isOnce, timeout: timeout)
        daybook_curl_set_pointer(transfer, CURLOPT_URL, url)
        daybook_curl_set_pointer(transfer, CURLOPT_HTTPHEADER, lines)
        // Sound: receiver and body are there until the transfer has ended.
        daybook_curl_set_pointer(transfer, CURLOPT_WRITEDATA, Unmanaged.passUnretained(receiver).toOpaque())
        daybook_curl_set_size(transfer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        let outcome = withExtendedLifetime(receiver) {
            body.withUnsafeBytes { bytes in
                daybook_curl_set_pointer(transfer, CURLOPT_POSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(transfer))
                return perform(transfer, on: transfers, stopper)
            }
        }
        guard let outcome else { throw ClickHouseError(reason: .stopped, message: "Nobody waits for it any more.") }
        guard outcome == CURLE_OK || receiver.answer.isCut else { throw error(outcome, transfer) }
        var answer = receiver.answer
        var status = 0
        daybook_curl_get_number(transfer, CURLINFO_RESPONSE_CODE, &status)
        answer.status = status
        var type: UnsafePointer<CChar>?
        daybook_curl_get_text(transfer, CURLINFO_CONTENT_TYPE, &type)
        answer.isTabSeparated = type.map { String(cString: $0).hasPrefix("text/tab-separated-values") } ?? false
        return answer
    }

    /// Forgets the request before, and sets what does not depend on the new one's content.
    private func begin(_ transfer: UnsafeMutableRawPointer, isOnce: Bool, timeout: Duration) {
        curl_easy_reset(transfer)
        failure[0] = 0
        daybook_curl_set_pointer(transfer, CURLOPT_ERRORBUFFER, failure.baseAddress)
        daybook_curl_set_number(transfer, CURLOPT_NOSIGNAL, 1)
        daybook_curl_set_number(transfer, CURLOPT_TCP_KEEPALIVE, 1)
        daybook_curl_set_number(transfer, CURLOPT_FRESH_CONNECT, isOnce ? 1 : 0)
        daybook_curl_set_number(transfer, CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(min(timeout, Self.connecting)))
        daybook_curl_set_number(transfer, CURLOPT_TIMEOUT_MS, Self.milliseconds(timeout))
        daybook_curl_set_writer(transfer) { bytes, size, count, receiver in
            guard let bytes, let receiver else { return 0 }
            return Unmanaged<Receiver>.fromOpaque(receiver).takeUnretainedValue()
                .take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    /// What became of it; `nil` where it was stopped.
    private func perform(
        _ transfer: UnsafeMutableRawPointer, on transfers: UnsafeMutableRawPointer, _ stopper: ClickHouseStopper?
    ) -> CURLcode? {
        curl_multi_add_handle(transfers, transfer)
        defer { curl_multi_remove_handle(transfers, transfer) }
        stopper?.begin(transfers)
        defer { stopper?.end() }
        var running: Int32 = 1
        while true {
            guard curl_multi_perform(transfers, &running) == CURLM_OK else { return CURLE_OUT_OF_MEMORY }
            if stopper?.isCancelled == true { return nil }
            if running == 0 { break }
            // Until something happens, the stopper included; libcurl sees to its own times.
            curl_multi_poll(transfers, nil, 0, 10_000, nil)
        }
        var rest: Int32 = 0
        return curl_multi_info_read(transfers, &rest)?.pointee.data.result ?? CURLE_OUT_OF_MEMORY
    }

    private func error(_ outcome: CURLcode, _ transfer: UnsafeMutableRawPointer) -> ClickHouseError {
        var connected: curl_off_t = 0
        daybook_curl_get_size(transfer, CURLINFO_PRETRANSFER_TIME_T, &connected)
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

/// Takes what comes back for the request under way.
private final class Receiver {
    private let limit: Int
    private(set) var answer = ClickHouseRequest.Answer()

    init(limit: Int) { self.limit = limit }

    /// How many bytes were taken: fewer than there are stop the transfer.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        answer.bytes += bytes.prefix(limit - answer.bytes.count)
        answer.isCut = answer.bytes.count >= limit
        return answer.isCut ? 0 : bytes.count
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
    /// Whether the server says that there is such a table already, or that somebody makes it at this moment.
    var isThere: Bool { code == 57 }
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
