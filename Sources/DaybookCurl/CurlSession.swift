#if os(Linux) || os(macOS)
    import CCurl
    import DaybookBase

    /// An HTTP/1.1 client over libcurl: one request at a time. Blocks the calling thread, which must not be in Swift's
    /// cooperative pool. Reuses connections.
    ///
    /// Responses are bounded in bytes and time. Redirects are not followed, bodies not decompressed, and no cookies or
    /// stored passwords sent. A proxy from the environment (`https_proxy`) is used.
    ///
    /// Confined to one thread at a time. Sound to pass between threads: nothing in it is bound to a thread, and whoever
    /// receives it has exclusive access.
    package final class CurlSession: @unchecked Sendable {
        /// libcurl's global state, initialized once per process.
        private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

        /// A `CURL` and a `CURLM`; `nil` if out of memory. Sound: this object owns them, and only the thread that has
        /// it uses them; ``CurlStopper`` says what else may touch the second.
        private let transfer: UnsafeMutableRawPointer?
        private let transfers: UnsafeMutableRawPointer?
        /// libcurl's error buffer. Sound: it has the size that libcurl requires, and is freed after the handles.
        private let failure = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

        package init() {
            transfer = Self.isReady ? curl_easy_init() : nil
            transfers = Self.isReady ? curl_multi_init() : nil
            failure.initialize(repeating: 0)
        }

        deinit {
            if let transfer { curl_easy_cleanup(transfer) }
            if let transfers { curl_multi_cleanup(transfers) }
            failure.deallocate()
        }

        /// Sends a request and waits for the response.
        /// - Parameter stopper: Cancels the wait from another thread.
        /// - Throws: ``CurlFailure`` without a complete response.
        package func send(_ request: CurlRequest, stopper: CurlStopper? = nil) throws(CurlFailure) -> CurlAnswer {
            guard let transfer, let transfers else {
                throw CurlFailure(reach: .notYet, message: "There is no memory for a connection.")
            }
            guard request.isSound else {
                throw CurlFailure(reach: .never, message: "A field of the request has a line break, or no name.")
            }
            let receiver = Receiver(limit: request.answerLimit)
            // No "Expect": the body is sent without waiting. No "Content-Type": libcurl's default is a form's.
            var lines: UnsafeMutablePointer<curl_slist>?
            for line in ["Expect:", "Content-Type:"]
                + request.headers.map({ $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" })
            {
                lines = curl_slist_append(lines, line)
            }
            defer { curl_slist_free_all(lines) }
            begin(transfer, request)
            daybook_curl_set_pointer(transfer, CURLOPT_HTTPHEADER, lines)
            // Sound: receiver and body outlive the transfer.
            let taker = Unmanaged.passUnretained(receiver).toOpaque()
            daybook_curl_set_pointer(transfer, CURLOPT_WRITEDATA, taker)
            daybook_curl_set_pointer(transfer, CURLOPT_HEADERDATA, taker)
            let outcome = withExtendedLifetime(receiver) {
                request.body.withUnsafeBytes { bytes in
                    if !request.body.isEmpty || !["GET", "HEAD"].contains(request.method) {
                        daybook_curl_set_size(transfer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
                        daybook_curl_set_pointer(
                            transfer, CURLOPT_POSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(transfer))
                    }
                    daybook_curl_set_pointer(transfer, CURLOPT_CUSTOMREQUEST, request.method)
                    return perform(transfer, on: transfers, stopper)
                }
            }
            return try answer(outcome, receiver, transfer)
        }

        /// Resets the handle, and sets the new request's limits.
        private func begin(_ transfer: UnsafeMutableRawPointer, _ request: CurlRequest) {
            curl_easy_reset(transfer)
            failure[0] = 0
            daybook_curl_only_http(transfer)
            daybook_curl_leave_resolver(transfer)
            daybook_curl_set_pointer(transfer, CURLOPT_URL, request.url)
            daybook_curl_set_pointer(transfer, CURLOPT_ERRORBUFFER, failure.baseAddress)
            for (option, value) in [
                (CURLOPT_NOSIGNAL, 1), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_FRESH_CONNECT, request.isOnce ? 1 : 0),
                (CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(min(request.deadline, request.connecting))),
                (CURLOPT_TIMEOUT_MS, Self.milliseconds(request.deadline)), (CURLOPT_FOLLOWLOCATION, 0),
                (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_HTTP09_ALLOWED, 0),
                (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
                (CURLOPT_NOBODY, request.method == "HEAD" ? 1 : 0),
            ] { daybook_curl_set_number(transfer, option, value) }
            daybook_curl_set_taker(transfer, CURLOPT_WRITEFUNCTION) { bytes, size, count, receiver in
                guard let bytes, let receiver else { return 0 }
                return Unmanaged<Receiver>.fromOpaque(receiver).takeUnretainedValue()
                    .take(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
            daybook_curl_set_taker(transfer, CURLOPT_HEADERFUNCTION) { bytes, size, count, receiver in
                guard let bytes, let receiver else { return 0 }
                return Unmanaged<Receiver>.fromOpaque(receiver).takeUnretainedValue()
                    .takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }
        }

        /// `nil` if cancelled.
        private func perform(
            _ transfer: UnsafeMutableRawPointer, on transfers: UnsafeMutableRawPointer, _ stopper: CurlStopper?
        ) -> CURLcode? {
            curl_multi_add_handle(transfers, transfer)
            defer { curl_multi_remove_handle(transfers, transfer) }
            stopper?.begin(transfers)
            defer { stopper?.end() }
            var running: Int32 = 1
            while true {
                if stopper?.isCancelled == true { return nil }
                guard curl_multi_perform(transfers, &running) == CURLM_OK else { return CURLE_OUT_OF_MEMORY }
                if running == 0 { break }
                // Wakes up on activity or the stopper; libcurl handles its own timeouts.
                curl_multi_poll(transfers, nil, 0, 10_000, nil)
            }
            var rest: Int32 = 0
            return curl_multi_info_read(transfers, &rest)?.pointee.data.result ?? CURLE_OUT_OF_MEMORY
        }

        /// Accepts a response with a whole head, and a body up to its end or the limit.
        private func answer(
            _ outcome: CURLcode?, _ receiver: Receiver, _ transfer: UnsafeMutableRawPointer
        ) throws(CurlFailure) -> CurlAnswer {
            guard let outcome else {
                throw CurlFailure(reach: .perhaps, isStopped: true, message: "Nobody waits for the answer any more.")
            }
            if outcome == CURLE_OK || receiver.isCut, receiver.head.isWhole {
                return CurlAnswer(
                    status: receiver.head.status, headers: receiver.head.fields, body: receiver.body,
                    isCut: receiver.isCut)
            }
            var connected: curl_off_t = 0
            daybook_curl_get_size(transfer, CURLINFO_PRETRANSFER_TIME_T, &connected)
            let isHopeless = [
                CURLE_COULDNT_RESOLVE_HOST, CURLE_PEER_FAILED_VERIFICATION, CURLE_URL_MALFORMAT,
                CURLE_UNSUPPORTED_PROTOCOL,
            ].contains(outcome)
            // Set once the request is about to be sent.
            let reach: CurlFailure.Reach = isHopeless ? .never : connected == 0 ? .notYet : .perhaps
            let told = failure.baseAddress.map { String(cString: $0) } ?? ""
            let words =
                receiver.head.problem
                ?? (outcome == CURLE_OK
                    ? "the connection ended in the head of the answer"
                    : told.isEmpty ? String(cString: curl_easy_strerror(outcome)) : told)
            throw CurlFailure(reach: reach, isStopped: outcome == CURLE_OPERATION_TIMEDOUT, message: words)
        }

        private static func milliseconds(_ time: Duration) -> Int {
            // To libcurl, 0 means no timeout.
            max(1, Int(min(time / .milliseconds(1), 86_400_000)))
        }
    }

    private final class Receiver {
        private let limit: Int
        private(set) var head = AnswerHead()
        private(set) var body: [UInt8] = []
        private(set) var isCut = false

        init(limit: Int) { self.limit = limit }

        /// Returns the bytes taken; fewer than offered aborts the transfer.
        func take(_ bytes: UnsafeRawBufferPointer) -> Int {
            isCut = bytes.count > limit - body.count
            body += bytes.prefix(limit - body.count)
            return isCut ? 0 : bytes.count
        }

        func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int { head.take(bytes) ? bytes.count : 0 }
    }

    /// Cancels a request. Thread-safe.
    package final class CurlStopper: Sendable {
        /// A `CURLM` with a transfer in progress. Sound to share: it is kept only while its owner waits for it, and
        /// libcurl allows everything done to it here from any thread.
        private struct Transfer: @unchecked Sendable {
            let transfers: UnsafeMutableRawPointer

            func wake() { curl_multi_wakeup(transfers) }
        }

        private struct State {
            var waiting: Transfer?
            var isCancelled = false
        }

        private let state = Mutex(State())

        package init() {}

        package var isCancelled: Bool { state.withLock { $0.isCancelled } }

        func begin(_ transfers: UnsafeMutableRawPointer) {
            let waiting = Transfer(transfers: transfers)
            state.withLock { $0.waiting = waiting }
        }

        func end() { state.withLock { $0.waiting = nil } }

        package func cancel() {
            state.withLock { state in
                state.isCancelled = true
                state.waiting?.wake()
            }
        }
    }
#endif
