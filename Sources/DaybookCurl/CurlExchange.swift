#if os(Linux) || os(macOS)
    /// A request with the limits of its response.
    package struct CurlRequest: Sendable {
        package var method = "POST"
        package var url: String
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]
        /// For the whole exchange, with name resolution and connecting.
        package var deadline: Duration
        /// For connecting: an unreachable server stays silent, and another can be tried.
        package var connecting: Duration = .seconds(10)
        /// Most bytes of the response's body; more end the request (``CurlAnswer/isCut``).
        package var answerLimit: Int
        /// Whether it must not arrive twice. It then gets a new connection: libcurl resends on a reused one that turns
        /// out to be closed.
        package var isOnce = false

        package init(
            url: String, headers: [(name: String, value: String)], body: [UInt8], deadline: Duration, answerLimit: Int
        ) {
            (self.url, self.headers, self.body) = (url, headers, body)
            (self.deadline, self.answerLimit) = (deadline, answerLimit)
        }

        /// Whether it is one valid request: a line break in a field would begin another.
        var isSound: Bool {
            let isToken = { (text: String) in
                !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
            }
            return isToken(method) && !url.utf8.contains(0)
                && headers.allSatisfy { isToken($0.name) && !$0.value.utf8.contains { [0, 0x0A, 0x0D].contains($0) } }
        }
    }

    /// A complete response, or one whose body was too long.
    package struct CurlAnswer: Sendable {
        /// 200 to 599.
        package var status: Int
        /// Lowercase names.
        package var headers: [String: String]
        package var body: [UInt8]
        /// Whether the body exceeds the limit; `body` then has its beginning.
        package var isCut: Bool
    }

    package struct CurlFailure: Error, Sendable {
        /// How far the request got.
        package enum Reach: Sendable {
            /// Nothing was sent, and a retry would fail likewise.
            case never
            /// Nothing was sent.
            case notYet
            /// It may have arrived.
            case perhaps
        }

        package var reach: Reach
        /// Whether we stopped waiting: deadline or cancellation.
        package var isStopped = false
        /// libcurl's message; servers can influence it.
        package var message: String

        package init(reach: Reach, isStopped: Bool = false, message: String) {
            (self.reach, self.isStopped, self.message) = (reach, isStopped, message)
        }
    }

    /// Validates a response's head line by line. Pure.
    struct AnswerHead {
        /// All heads and trailers, including interim responses.
        private static let limit = 64 << 10

        private(set) var status = 0
        private(set) var fields: [String: String] = [:]
        /// Whether the final empty line was read: without it, libcurl still treats the response as complete.
        private(set) var isWhole = false
        private(set) var problem: String?
        private var size = 0

        /// Takes the next line with its end.
        /// - Returns: Whether to continue reading.
        mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
            size += line.count
            guard size <= Self.limit else { return refuse("the head of the answer is longer than \(Self.limit) bytes") }
            // Trailers after the body are ignored.
            if isWhole { return true }
            var text = String(decoding: line, as: UTF8.self)[...]
            while let last = text.unicodeScalars.last, last == "\n" || last == "\r" { text.unicodeScalars.removeLast() }
            if text.hasPrefix("HTTP/") {
                status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                fields = [:]
                return (100...599).contains(status) && status != 101 || refuse("the answer has no status of HTTP")
            }
            if text.isEmpty {
                isWhole = status >= 200
                return true
            }
            guard let colon = text.firstIndex(of: ":") else { return true }
            let name = text[..<colon].lowercased()
            let value = text[text.index(after: colon)...].trimmed
            guard let other = fields[name] else {
                fields[name] = value
                return true
            }
            guard name != "content-length" || other == value else { return refuse("the answer has two lengths") }
            fields[name] = "\(other), \(value)"
            return true
        }

        private mutating func refuse(_ problem: String) -> Bool {
            self.problem = problem
            return false
        }
    }

    extension Substring {
        fileprivate var trimmed: String {
            let start = drop { $0 == " " || $0 == "\t" }
            return start.lastIndex { $0 != " " && $0 != "\t" }.map { String(start[...$0]) } ?? ""
        }
    }
#endif
