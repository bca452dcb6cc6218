import Daybook
import DaybookBase
import Foundation

#if canImport(Network)
    import Network

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Sends through a background session: a started upload continues while the app is suspended, and after the system
    /// has terminated it.
    ///
    /// ```swift
    /// OTLPOutput(endpoint: url, transport: BackgroundTransport(identifier: "com.example.app.logs", directory: folder))
    /// ```
    ///
    /// Delivery is at least once. A batch is settled when this or a later launch gets its response. A launch that
    /// repeats exactly the same request takes over the earlier upload or its response. If the request differs, the
    /// records arrive twice, and the receiver drops duplicates by stream and sequence. The app is not started for a
    /// response; the system keeps it.
    ///
    /// The system follows redirects in background sessions; a response from another origin is reported as a redirect,
    /// so that the output pauses. A request's own timeout is ignored. Safe to share between threads and outputs.
    public final class BackgroundTransport: HTTPTransport {
        private let session: URLSession
        private let exchanges: BackgroundExchanges

        /// Creates a transport over a background session.
        ///
        /// ```swift
        /// let transport = BackgroundTransport(identifier: "com.example.app.logs", directory: folder)
        /// Route("**", to: OTLPOutput(endpoint: collector, transport: transport))
        /// ```
        /// - Parameters:
        ///   - identifier: The session's name: this process's own, and the same at every launch. One transport at a
        ///     time.
        ///   - directory: Keeps bodies during the upload: this transport's own folder, created if missing; other files
        ///     in it are removed.
        ///   - timeout: An upload without a response by then has failed. Default: an hour.
        ///   - configure: Further settings of the session. An app extension sets `sharedContainerIdentifier`.
        public init(
            identifier: String, directory: URL, timeout: Duration = .seconds(3600),
            configure: (URLSessionConfiguration) -> Void = { _ in }
        ) {
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            configuration.sessionSendsLaunchEvents = false
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            configuration.timeoutIntervalForResource = max(1, timeout / .seconds(1))
            configure(configuration)
            exchanges = BackgroundExchanges(directory: directory)
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        }

        /// Uploads in progress continue.
        deinit { session.finishTasksAndInvalidate() }

        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            let known =
                exchanges.isFirst
                ? await withCheckedContinuation { continuation in
                    session.getAllTasks { continuation.resume(returning: $0.compactMap(\.taskDescription)) }
                } : []
            let key = UploadKey(request)
            return try await withCheckedThrowingContinuation { continuation in
                exchanges.ask(key, request, known: known, in: session, continuation)
            }
        }
    }

    /// Files, tasks and waiting callers; ``BackgroundUploads`` decides what to do.
    private final class BackgroundExchanges: NSObject, URLSessionDataDelegate {
        typealias Caller = CheckedContinuation<TransportResponse, any Error>

        private struct State {
            var uploads = BackgroundUploads()
            var waiting: [String: Caller] = [:]
        }

        private let directory: URL
        private let state = Mutex(State())

        init(directory: URL) {
            self.directory = directory
            super.init()
        }

        func ask(
            _ key: UploadKey, _ request: TransportRequest, known: [String], in session: URLSession,
            _ continuation: Caller
        ) {
            let (action, orphans, other) = state.withLock { state in
                let orphans = state.uploads.isFirst ? state.uploads.orphans(of: files, known: known) : []
                state.uploads.found(known)
                let action = state.uploads.ask(key.name)
                if case .answer = action { return (action, orphans, nil as Caller?) }
                return (action, orphans, state.waiting.updateValue(continuation, forKey: key.name))
            }
            // The first of two callers with the same request is told to retry.
            other?.resume(throwing: URLError(.cancelled))
            for name in orphans { try? FileManager.default.removeItem(at: directory.appending(path: name)) }
            switch action {
            case .answer(let answer): continuation.resume(returning: answer)
            case .wait: break
            case .upload: upload(key, request, in: session)
            }
        }

        /// Whether the system has not yet been asked for uploads of earlier launches.
        var isFirst: Bool { state.withLock { $0.uploads.isFirst } }

        private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] }

        private func upload(_ key: UploadKey, _ request: TransportRequest, in session: URLSession) {
            let file = directory.appending(path: key.name)
            do {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try Data(request.body).write(to: file, options: .atomic)
            } catch {
                return finish(key.name, .failure(error))
            }
            #if canImport(Darwin)
                // The system reads it while the device is locked.
                AppleFiles.prepare(file.path, protection: .afterFirstUnlock, isBackedUp: false)
            #endif
            var urlRequest = URLRequest(url: request.url)
            urlRequest.httpMethod = request.method
            for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
            let task = session.uploadTask(with: urlRequest, fromFile: file)
            task.taskDescription = key.name
            task.resume()
        }

        private func finish(_ name: String, _ answer: Result<TransportResponse, any Error>) {
            try? FileManager.default.removeItem(at: directory.appending(path: name))
            let waiting = state.withLock { state in
                let waiting = state.waiting.removeValue(forKey: name)
                state.uploads.finish(name, waiting == nil ? try? answer.get() : nil)
                return waiting
            }
            waiting?.resume(with: answer)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            guard let name = dataTask.taskDescription else { return }
            state.withLock { $0.uploads.receive([UInt8](data), name) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let name = task.taskDescription else { return }
            let body = state.withLock { $0.uploads.body(of: name) }
            guard error == nil, let response = task.response as? HTTPURLResponse else {
                return finish(name, .failure(error ?? URLError(.badServerResponse)))
            }
            var headers: [String: String] = [:]
            for (field, value) in response.allHeaderFields { headers["\(field)".lowercased()] = "\(value)" }
            let answer = TransportResponse(status: response.statusCode, headers: headers, body: body)
            finish(name, .success(answer.told(by: response.url, asked: task.originalRequest?.url)))
        }

        /// Never prompts for credentials; challenges of the connection are left to the system.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            completionHandler(
                challenge.failureResponse == nil ? .performDefaultHandling : .rejectProtectionSpace, nil)
        }
    }
#endif

/// A request's identity across launches, which names its file and task.
package struct UploadKey: Sendable, Hashable {
    package let name: String

    /// By URL, method and body. Headers may have changed, above all a token.
    package init(_ request: TransportRequest) {
        var hash = FNV1a()
        for byte in "\(request.method) \(request.url.absoluteString)\n".utf8 { hash.add(byte) }
        for byte in request.body { hash.add(byte) }
        name = "\(Hex.text(hash.value))-\(request.body.count).upload"
    }
}

/// The uploads of a background session by name, across launches. Pure: its owner has the session, the files and the
/// waiting callers.
package struct BackgroundUploads {
    package enum Action {
        case upload
        case wait
        /// It ended before anyone asked.
        case answer(TransportResponse)
    }

    /// Unclaimed responses. Batches are cut anew at each launch, so most stay unclaimed.
    private static let maximumAnswers = 8
    private static let maximumBody = 64 << 10

    /// Whether uploads of earlier launches are still unknown.
    package private(set) var isFirst = true
    private var underWay: [String: [UInt8]] = [:]
    private var answers: [(name: String, answer: TransportResponse)] = []

    package init() {}

    /// Adds the system's uploads of earlier launches. Only the first call counts; later changes are tracked here.
    package mutating func found(_ names: [String]) {
        guard isFirst else { return }
        isFirst = false
        // Skips one that has ended since the system was asked.
        for name in names where !answers.contains(where: { $0.name == name }) && underWay[name] == nil {
            underWay[name] = []
        }
    }

    package func orphans(of files: [String], known: [String]) -> [String] {
        files.filter { !known.contains($0) && underWay[$0] == nil }
    }

    package mutating func ask(_ name: String) -> Action {
        if let place = answers.firstIndex(where: { $0.name == name }) {
            return .answer(answers.remove(at: place).answer)
        }
        guard underWay[name] == nil else { return .wait }
        underWay[name] = []
        return .upload
    }

    /// Appends part of a response's body; at most 64 KiB are kept.
    package mutating func receive(_ bytes: [UInt8], _ name: String) {
        underWay[name, default: []].append(contentsOf: bytes.prefix(Self.maximumBody - (underWay[name]?.count ?? 0)))
    }

    package func body(of name: String) -> [UInt8] { underWay[name] ?? [] }

    /// Ends an upload.
    /// - Parameter answer: Kept for a later caller if it is a success; a failure may not repeat. `nil` without a
    ///   response, or if a caller has it.
    package mutating func finish(_ name: String, _ answer: TransportResponse?) {
        underWay[name] = nil
        guard let answer, (200..<300).contains(answer.status) else { return }
        answers.append((name, answer))
        answers.removeFirst(max(0, answers.count - Self.maximumAnswers))
    }
}

extension TransportResponse {
    /// The response for the caller. One from another origin, after redirects that the system followed, becomes a
    /// redirect.
    package func told(by place: URL?, asked: URL?) -> TransportResponse {
        guard let place, let asked, (place.scheme, place.host(), place.port) != (asked.scheme, asked.host(), asked.port)
        else { return self }
        return TransportResponse(status: 308, headers: ["location": place.absoluteString], body: [])
    }
}
