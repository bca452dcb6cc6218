import DaybookBase
import Foundation

/// A real ClickHouse cluster for tests, on free loopback ports: two shards of one server each, or of two replicas with
/// a keeper. Safe to share between threads.
public final class ClickHouseCluster: Sendable {
    /// Why there is none here.
    public static let absence = "clickhouse-server is not installed"

    /// The server's program.
    public static let program: String? = ["/usr/sbin/clickhouse-server", "/usr/bin/clickhouse-server"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The name under which the same servers are one shard with two replicas.
    public static let replicasName = "two_replicas"
    /// The cluster's name, user and password.
    public static let name = "two_shards"
    private static let user = "daybook"
    private static let password = "s3cret"

    /// Shared by all tests of this process. The first use starts it, which blocks; it ends with the process.
    public static let shared = Result { try ClickHouseCluster() }

    private struct Ports: Sendable {
        var http: Int
        var native: Int
        var between: Int
    }

    private let folder: String
    private let program: String
    private let ports: [Ports]
    private let replicas: Int
    /// `nil` without replicas.
    public let keeper: ZooKeeper?
    private let watch: ServerWatch
    private let databases = Atomic(0)

    /// Starts the servers and blocks until they answer.
    /// - Parameter replicas: Servers of each of the two shards.
    /// - Throws: ``Program/Failure``.
    public init(replicas: Int = 1) throws {
        guard let program = Self.program else { throw Program.Failure(description: Self.absence) }
        self.program = program
        folder = Program.serverFolder(named: "daybook-ch")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        self.replicas = replicas
        let nodes = 2 * replicas
        let free = try Self.freePorts(3 * nodes + 1)
        ports = (0..<nodes).map { Ports(http: free[3 * $0], native: free[3 * $0 + 1], between: free[3 * $0 + 2]) }
        keeper = replicas > 1 ? try ZooKeeper(folder: "\(folder)/keeper", port: free[3 * nodes]) : nil
        let files = ports.indices.map { [folder] in "\(folder)/\($0)/pid" } + (keeper.map { [$0.file] } ?? [])
        watch = try ServerWatch(files: files, signal: SIGKILL, folder: folder)
        for node in ports.indices { try write(node) }
        if getuid() == 0 { try Program.run(["chown", "-R", "clickhouse", folder]) }
        try keeper?.start()
        for node in ports.indices { try start(node: node) }
    }

    /// The servers' numbers; those of a shard are adjacent.
    public var nodes: Range<Int> { ports.indices }

    /// The shard of a server.
    public func shard(of node: Int) -> Int { node / replicas }

    /// Starts a server and waits until it answers.
    /// - Throws: ``Program/Failure``.
    public func start(node: Int) throws {
        let place = "\(folder)/\(node)"
        try Program.run(
            Program.unprivileged(as: "clickhouse")
                + [program, "--daemon", "--config-file=\(place)/config.xml", "--pid-file=\(place)/pid"])
        _ = try ask(node, "SELECT 1")
    }

    /// Stops a server as in a crash.
    /// - Throws: ``Program/Failure``.
    public func stop(node: Int) throws { try Program.kill(ofFile: "\(folder)/\(node)/pid") }

    /// Stops the servers and removes their files.
    public func remove() { watch.end() }

    /// The address of a new, empty database.
    /// - Throws: ``Program/Failure``.
    public func makeDatabase() throws -> String {
        let number = databases.add(1, ordering: .relaxed)
        for node in nodes { _ = try ask(node, "CREATE DATABASE d\(number)") }
        let hosts = ports.map { "127.0.0.1:\($0.http)" }.joined(separator: ",")
        return "clickhouse://\(Self.user):\(Self.password)@\(hosts)/d\(number)?cluster=\(Self.name)&window=0.02"
    }

    /// Runs a statement on the first server. The shards have what it inserts when this returns.
    /// - Parameter statement: SQL, and after a line break the data of an `INSERT`.
    /// - Throws: ``Program/Failure``.
    public func run(_ statement: [UInt8]) throws { _ = try ask(0, statement) }

    /// Runs a statement on one server.
    /// - Returns: Its answer, in tab-separated lines.
    /// - Throws: ``Program/Failure``.
    public func ask(_ node: Int, _ statement: String) throws -> String { try ask(node, Array(statement.utf8)) }

    /// Sends a statement to one server, waiting for it to come up.
    private func ask(_ node: Int, _ statement: [UInt8]) throws -> String {
        let head =
            "POST /?insert_distributed_sync=1 HTTP/1.0\r\nHost: 127.0.0.1\r\nX-ClickHouse-User: \(Self.user)\r\nX-ClickHouse-Key: \(Self.password)\r\n"
            + "Connection: close\r\nContent-Length: \(statement.count)\r\n\r\n"
        for _ in 0..<600 {
            guard
                let answer = LoopbackClient.exchange(
                    Array(head.utf8) + statement, port: UInt16(ports[node].http), seconds: 30)
            else {
                usleep(50_000)
                continue
            }
            let text = String(decoding: answer, as: UTF8.self)
            guard text.prefix(while: { !$0.isNewline }).contains(" 200") else {
                let sql = String(decoding: statement.prefix(200), as: UTF8.self)
                throw Program.Failure(description: "\(sql): \(text)")
            }
            return text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        }
        throw Program.Failure(description: "ClickHouse does not answer at port \(ports[node].http)")
    }

    private func write(_ node: Int) throws {
        let place = "\(folder)/\(node)"
        try FileManager.default.createDirectory(atPath: "\(place)/data", withIntermediateDirectories: true)
        let servers = ports.map { ports in
            """
            <replica><host>127.0.0.1</host><port>\(ports.native)</port><user>\(Self.user)</user>
            <password>\(Self.password)</password></replica>
            """
        }
        let shards = stride(from: 0, to: servers.count, by: replicas).map { first in
            "<shard><internal_replication>true</internal_replication>\(servers[first..<first + replicas].joined())</shard>"
        }
        let own = ports[node]
        // Timeouts of servers with a keeper. They notice a dead server within three seconds, and find the keeper again
        // within one.
        let replication = keeper.map { keeper in
            """
            <interserver_http_host>127.0.0.1</interserver_http_host>
            <zookeeper><node><host>127.0.0.1</host><port>\(keeper.port)</port></node>
            <session_timeout_ms>3000</session_timeout_ms></zookeeper>
            <macros><shard>\(shard(of: node) + 1)</shard><replica>\(node % replicas + 1)</replica></macros>
            <merge_tree><zookeeper_session_expiration_check_period>1</zookeeper_session_expiration_check_period>
            </merge_tree>
            """
        }
        let configuration = """
            <yandex>
            <logger><level>error</level><log>\(place)/log</log><errorlog>\(place)/errors</errorlog></logger>
            <listen_host>127.0.0.1</listen_host><http_port>\(own.http)</http_port><tcp_port>\(own.native)</tcp_port>
            <interserver_http_port>\(own.between)</interserver_http_port><path>\(place)/data/</path>
            <tmp_path>\(place)/tmp/</tmp_path><users_config>users.xml</users_config>
            <default_profile>default</default_profile><default_database>default</default_database>
            <mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone>
            <remote_servers><\(Self.name)>\(shards.joined())</\(Self.name)>
            <\(Self.replicasName)><shard>\(servers.joined())</shard></\(Self.replicasName)></remote_servers>
            \(replication ?? "")
            </yandex>
            """
        let users = """
            <yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
            <users><\(Self.user)><password>\(Self.password)</password><networks><ip>127.0.0.1</ip></networks>
            <profile>default</profile><quota>default</quota></\(Self.user)></users>
            <quotas><default></default></quotas></yandex>
            """
        try configuration.write(toFile: "\(place)/config.xml", atomically: false, encoding: .utf8)
        try users.write(toFile: "\(place)/users.xml", atomically: false, encoding: .utf8)
    }

    /// Ports that have no listener now.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            #if canImport(Glibc)
                let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let socket = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            sockets.append(socket)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            // The system writes into `address`, whose size it is told.
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(socket, generic, length) == 0 ? getsockname(socket, generic, &length) : -1
                }
            }
            guard result == 0 else { throw Program.Failure(description: "there is no free port") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
}
