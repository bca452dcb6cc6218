import DaybookCurl
import DaybookStore

/// Sends statements to the nodes of a ClickHouse store. Confined to one thread at a time.
final class ClickHouseSession {
    /// The default timeout.
    static let patience: Duration = .seconds(60)
    /// The default limit of an answer, in bytes.
    private static let answerLimit = 1 << 30

    let address: ClickHouseAddress
    private let session = CurlSession()
    /// The last node reached.
    private var current = 0

    init(address: ClickHouseAddress) { self.address = address }

    /// The node to try first.
    var node: ClickHouseAddress.Node { address.nodes[current] }

    func moveOn() { current = (current + 1) % address.nodes.count }

    /// Queries a reachable node.
    func rows(
        _ sql: String, settings: [(String, String)] = [], timeout: Duration = patience, limit: Int? = nil,
        stopper: CurlStopper? = nil
    ) throws(ClickHouseError) -> (rows: ClickHouseRows, isTabSeparated: Bool, isCut: Bool) {
        let answer = try onAnyNode { node throws(ClickHouseError) in
            try self.send(
                sql, body: nil, to: node, settings: settings, timeout: timeout, limit: limit ?? Self.answerLimit,
                stopper: stopper)
        }
        let isTabSeparated = answer.headers["content-type"]?.hasPrefix("text/tab-separated-values") ?? false
        return (ClickHouseRows(answer.body), isTabSeparated, answer.isCut)
    }

    /// Runs a statement on a reachable node.
    /// - Parameter body: data of an INSERT.
    func run(_ sql: String, body: [UInt8]? = nil, settings: [(String, String)] = []) throws(ClickHouseError) {
        _ = try onAnyNode { node throws(ClickHouseError) in
            try self.send(
                sql, body: body, to: node, settings: settings, timeout: Self.patience, limit: Self.answerLimit,
                stopper: nil)
        }
    }

    /// Applies an idempotent action to each node in turn; with replicas, to each reachable one, but at least one.
    /// - Throws: the first node's ``ClickHouseError``.
    func onEachNode(_ body: (ClickHouseAddress.Node) throws(ClickHouseError) -> Void) throws(ClickHouseError) {
        var away: [ClickHouseError] = []
        for node in address.nodes {
            do throws(ClickHouseError) {
                try body(node)
            } catch {
                guard error.isAway, address.hasReplicas else { throw error }
                away.append(error)
            }
        }
        if away.count == address.nodes.count, let error = away.first { throw error }
    }

    /// All nodes must be reachable.
    func runEverywhere(_ sql: String) throws(ClickHouseError) {
        for node in address.nodes { try run(sql, on: node) }
    }

    func run(
        _ sql: String, on node: ClickHouseAddress.Node, settings: [(String, String)] = []
    ) throws(ClickHouseError) {
        _ = try send(
            sql, body: nil, to: node, settings: settings, timeout: Self.patience, limit: Self.answerLimit, stopper: nil)
    }

    func rows(_ sql: String, on node: ClickHouseAddress.Node) throws(ClickHouseError) -> ClickHouseRows {
        ClickHouseRows(
            try send(
                sql, body: nil, to: node, settings: [], timeout: Self.patience, limit: Self.answerLimit, stopper: nil
            ).body)
    }

    /// Tries the next node if one is unreachable, since nothing was sent then.
    private func onAnyNode<Value>(
        _ body: (ClickHouseAddress.Node) throws(ClickHouseError) -> Value
    ) throws(ClickHouseError) -> Value {
        for _ in 1..<max(address.nodes.count, 1) {
            do throws(ClickHouseError) {
                return try body(address.nodes[current])
            } catch {
                guard case .unreached = error.reason else { throw error }
                moveOn()
            }
        }
        return try body(address.nodes[current])
    }

    private func send(
        _ sql: String, body: [UInt8]?, to node: ClickHouseAddress.Node, settings: [(String, String)],
        timeout: Duration, limit: Int, stopper: CurlStopper?
    ) throws(ClickHouseError) -> CurlAnswer {
        // With `wait_end_of_query` the status is final: it tells whether the whole statement succeeded.
        var parameters = [
            ("wait_end_of_query", "1"), ("default_format", "TabSeparatedWithNamesAndTypes"),
        ]
        if !settings.contains(where: { $0.0 == "database" }) { parameters.append(("database", address.database)) }
        if body != nil { parameters.append(("query", sql)) }
        // Override the address's settings.
        let own = Set(settings.map(\.0))
        parameters += address.settings.filter { !own.contains($0.key) }.sorted { $0.key < $1.key } + settings
        let query = parameters.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        var headers = [("X-ClickHouse-User", address.user), ("Content-Type", "application/octet-stream")]
        if !address.password.isEmpty { headers.append(("X-ClickHouse-Key", address.password)) }
        var request = CurlRequest(
            url: "\(address.isSecure ? "https" : "http")://\(node)/?\(query)", headers: headers,
            body: body ?? Array(sql.utf8), deadline: timeout, answerLimit: limit)
        request.isOnce = body != nil
        let answer: CurlAnswer
        do throws(CurlFailure) {
            answer = try session.send(request, stopper: stopper)
        } catch {
            throw ClickHouseError(error, of: node, timeout: timeout)
        }
        guard answer.status == 200 else { throw Self.refusal(answer, by: node) }
        return answer
    }

    /// `Code: 60, e.displayText() = DB::Exception: Table d.x doesn't exist., e.what() = …`, or today `Code: 60.
    /// DB::Exception: Table d.x does not exist. (UNKNOWN_TABLE) (version 26.9.1)`.
    private static func refusal(
        _ answer: CurlAnswer, by node: ClickHouseAddress.Node
    ) -> ClickHouseError {
        var text = String(decoding: answer.body.prefix(4_096), as: UTF8.self)[...]
        guard text.hasPrefix("Code: "), let code = Int(text.dropFirst(6).prefix { $0.isNumber }) else {
            return ClickHouseError(
                reason: .lost, message: "The server at \(node) is not ClickHouse: HTTP status \(answer.status).")
        }
        if let start = text.firstRange(of: "DB::Exception: ") { text = text[start.upperBound...] }
        for end in [", e.what()", " (version "] {
            if let range = text.firstRange(of: end) { text = text[..<range.lowerBound] }
        }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return ClickHouseError(reason: .refused(code), message: "ClickHouse: \(line)")
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for unit in text.utf8 {
            switch unit {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(unit)
            default: result += [UInt8(ascii: "%"), digits[Int(unit >> 4)], digits[Int(unit & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
