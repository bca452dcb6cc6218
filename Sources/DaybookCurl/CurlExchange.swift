#if os(Linux) || os(macOS)
    /// A request, and what its answer may cost.
    package struct CurlRequest: Sendable {
        package var method = "POST"
        package var url: String
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]
        /// For all of it: the name, the connection, the request and the answer.
        package var deadline: Duration
        /// For the connection alone: a server that has vanished says nothing, and another can be asked.
        package var connecting: Duration = .seconds(10)
        /// Bytes of the answer's body that are read. What is over it ends the request (``CurlAnswer/isCut``).
        package var answerLimit: Int
        /// That it must not come twice, so it goes over a connection of its own: where one that was used before turns out to
        /// be gone, libcurl sends again by itself.
        package var isOnce = false

        package init(
            url: String, headers: [(name: String, value: String)], body: [UInt8], deadline: Duration, answerLimit: Int
        ) {
            (self.url, self.headers, self.body) = (url, headers, body)
            (self.deadline, self.answerLimit) = (deadline, answerLimit)
        }

        /// Whether all of it is one request: a line break in a field would begin another one.
        var isSound: Bool {
            let isToken = { (text: String) in
                !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
            }
            return isToken(method) && !url.utf8.contains(0)
                && headers.allSatisfy { isToken($0.name) && !$0.value.utf8.contains { [0, 0x0A, 0x0D].contains($0) } }
        }
    }

    /// A whole answer, or one whose body was too long.
    package struct CurlAnswer: Sendable {
        /// 200 to 599.
        package var status: Int
        /// Names in lower case.
        package var headers: [String: String]
        package var body: [UInt8]
        /// Whether the body is longer than was to be read: `body` has its beginning.
        package var isCut: Bool
    }

    /// Why there is no answer.
    package struct CurlFailure: Error, Sendable {
        /// How far the request came.
        package enum Reach: Sendable {
            /// Nothing was sent, and another attempt would end alike.
            case never
            /// Nothing was sent.
            case notYet
            /// It may have arrived.
            case perhaps
        }

        package var reach: Reach
        /// Whether we stopped waiting: the deadline was reached, or nobody wants the answer any more.
        package var isStopped = false
        /// In libcurl's words where it has some. Servers have a say in it.
        package var message: String

        package init(reach: Reach, isStopped: Bool = false, message: String) {
            (self.reach, self.isStopped, self.message) = (reach, isStopped, message)
        }
    }

    /// The head of an answer, line by line, and whether it is one (pure).
    struct AnswerHead {
        /// Bytes of all heads and trailers of an answer, those of its interim answers included.
        private static let limit = 64 << 10

        private(set) var status = 0
        private(set) var fields: [String: String] = [:]
        /// Whether the empty line at its end was read: where a connection ends before, libcurl takes what there is for all.
        private(set) var isWhole = false
        /// What is wrong with it.
        private(set) var problem: String?
        private var size = 0

        /// Takes the next line with its end.
        /// - Returns: whether the answer is worth reading on.
        mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
            size += line.count
            guard size <= Self.limit else { return refuse("the head of the answer is longer than \(Self.limit) bytes") }
            // Behind the body come trailers, which nobody reads.
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
