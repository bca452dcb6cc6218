import DaybookStore
import Foundation

/// The address of a ClickHouse store: `clickhouse://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?cluster=NAME`.
///
/// It lists every node of the cluster: tables and views are made on each, and queries go to the first reachable one.
/// The description omits the password.
struct ClickHouseAddress: Sendable, Hashable, CustomStringConvertible {
    /// A node's HTTP host and port.
    struct Node: Sendable, Hashable, CustomStringConvertible {
        var host: String
        var port: Int

        var description: String { "\(host):\(port)" }
    }

    /// At least one.
    var nodes: [Node]
    var user = "default"
    var password = ""
    var database = "default"
    /// The name in the servers' `remote_servers`; `nil` for a single server.
    var cluster: String?
    /// Whether shards have replicas; detected at the start, not part of the text.
    var hasReplicas = false
    /// Whether to use HTTPS.
    var isSecure = false
    /// How long a batch waits for others to share its commit: 0–1 s. Default 1 s, so that servers have few parts to
    /// merge.
    var window: Duration = .seconds(1)
    /// ClickHouse settings, sent with each statement.
    var settings: [String: String] = [:]

    /// Parses an address. `tls=true` means HTTPS (default port 8443 instead of 8123), `window=0.2` is the commit window
    /// in seconds; other parameters are ClickHouse settings.
    init(_ text: String) throws(StoreError) {
        guard let scheme = text.firstRange(of: "://"), text[..<scheme.lowerBound] == "clickhouse" else {
            throw Self.misread("it does not begin with clickhouse://")
        }
        nodes = []
        let parts = text[scheme.upperBound...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard words.count == 2, let value = Self.decoded(words[1]) else {
                throw Self.misread("a parameter has no value, or one with a wrong % sign")
            }
            try add(parameter: String(words[0]), value)
        }
        var place = parts[0]
        if let slash = place.firstIndex(of: "/") {
            guard let name = Self.decoded(place[place.index(after: slash)...]) else {
                throw Self.misread("the database's name has a wrong % sign")
            }
            if !name.isEmpty { database = name }
            place = place[..<slash]
        }
        if let at = place.lastIndex(of: "@") {
            let names = place[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = names.compactMap(Self.decoded)
            guard decoded.count == names.count else {
                throw Self.misread("the user's name or password has a wrong % sign")
            }
            // They become HTTP headers.
            guard !decoded.joined().unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
                throw Self.misread("the user's name or password has a control character")
            }
            user = decoded[0]
            password = decoded.dropFirst().first ?? ""
            place = place[place.index(after: at)...]
        }
        for node in place.split(separator: ",") { nodes.append(try Self.node(node, port: isSecure ? 8443 : 8123)) }
        guard !nodes.isEmpty else { throw Self.misread("it names no host") }
    }

    var description: String { nodes.map(\.description).joined(separator: ",") + "/" + database }

    private mutating func add(parameter name: String, _ value: String) throws(StoreError) {
        switch name {
        case "cluster": cluster = value
        case "tls":
            guard ["true", "false"].contains(value) else { throw Self.misread("tls is true or false") }
            isSecure = value == "true"
        case "window":
            guard let seconds = Double(value), (0...1).contains(seconds) else {
                throw Self.misread("window is a number of seconds from 0 to 1")
            }
            window = .milliseconds(Int((seconds * 1_000).rounded()))
        default: settings[name] = value
        }
    }

    private static func node(_ text: Substring, port: Int) throws(StoreError) -> Node {
        var host = text
        var number = port
        // IPv6 addresses have their colons in brackets.
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            guard let given = Int(text[text.index(after: colon)...]), (1...65_535).contains(given) else {
                throw misread("the port of a host is not a number from 1 to 65535")
            }
            host = text[..<colon]
            number = given
        }
        guard !host.isEmpty else { throw misread("a host has no name") }
        return Node(host: String(host), port: number)
    }

    private static func misread(_ reason: String) -> StoreError {
        StoreError(
            .unavailable,
            "The address of the ClickHouse store cannot be used: \(reason). "
                + "Write clickhouse://USER:PASSWORD@HOST:PORT/DATABASE?cluster=NAME")
    }

    private static func decoded(_ text: Substring) -> String? { String(text).removingPercentEncoding }
}
