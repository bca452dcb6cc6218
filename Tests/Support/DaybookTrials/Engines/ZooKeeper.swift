import Foundation

/// The keeper of a ClickHouse cluster for tests: ZooKeeper on the loopback. Safe to share between threads.
public final class ZooKeeper: Sendable {
    /// Why there is none here.
    public static let absence = "ZooKeeper (libzookeeper-java) or Java is not installed"

    private static let library = "/usr/share/java/zookeeper.jar"

    /// Whether it is installed.
    public static let isInstalled =
        FileManager.default.fileExists(atPath: library) && FileManager.default.isExecutableFile(atPath: "/usr/bin/java")

    let port: Int
    /// The file with its process ID.
    var file: String { "\(folder)/pid" }
    private let folder: String

    /// Writes its configuration.
    /// - Throws: ``Program/Failure``.
    init(folder: String, port: Int) throws {
        guard Self.isInstalled else { throw Program.Failure(description: Self.absence) }
        self.folder = folder
        self.port = port
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Sessions last from two to twenty ticks.
        let configuration = """
            tickTime=500
            dataDir=\(folder)/data
            clientPort=\(port)
            clientPortAddress=127.0.0.1
            maxClientCnxns=0
            admin.enableServer=false

            """
        try configuration.write(toFile: "\(folder)/zoo.cfg", atomically: false, encoding: .utf8)
    }

    /// Starts it and waits until it answers.
    /// - Throws: ``Program/Failure``, or an error if it does not come up.
    public func start() throws {
        let command =
            Program.unprivileged(as: "clickhouse") + [
                "java", "-Xmx128m", "-XX:+UseSerialGC", "-cp", Self.library,
                "org.apache.zookeeper.server.quorum.QuorumPeerMain", "\(folder)/zoo.cfg",
            ]
        try Program.run(
            [
                "sh", "-c", #"place=$1; shift; "$@" > "$place/log" 2>&1 & echo $! > "$place/pid""#, "sh", folder,
            ] + command)
        try eventuallyOnThread("the keeper answers at port \(port)", within: .seconds(120)) {
            LoopbackClient.exchange(Array("srvr".utf8), port: UInt16(port), seconds: 1)?.isEmpty == false
        }
    }

    /// Stops it as in a crash.
    /// - Throws: If it does not end.
    public func stop() throws { try Program.kill(ofFile: file) }
}
