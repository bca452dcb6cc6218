import DaybookBase
import DaybookProcesses
import Foundation

/// Today's ClickHouse for tests: `chdb`, the engine in a Python process, behind the part of the server's HTTP interface
/// that a store uses. Safe to share between threads.
public final class ClickHouseOfToday: Sendable {
    /// Why there is none here.
    public static let absence = "chdb, ClickHouse in a Python process, is not installed: run `make setup`"

    /// A Python that has `chdb`.
    public static let python: String? = {
        let python = packageRoot + "/.venv/bin/python"
        return (try? Program.run([python, "-I", "-c", "import chdb"])) == nil ? nil : python
    }()

    private static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private let process: ChildProcess
    private let input = Pipe()
    private let folder: String
    private let port: String
    private let databases = Atomic(0)

    /// Starts it and blocks until it answers.
    /// - Throws: ``Program/Failure``.
    public init() throws {
        guard let python = Self.python else { throw Program.Failure(description: Self.absence) }
        folder = Program.serverFolder(named: "daybook-chdb")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let output = Pipe()
        process = try ChildProcess(
            URL(filePath: python), ["-I", "-c", Self.script, folder + "/data"], input: .pipe(input),
            output: .pipe(output))
        port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard Int(port) != nil else { throw Program.Failure(description: "chdb did not start") }
    }

    /// Stops it and removes its files.
    public func remove() {
        process.send(SIGKILL)
        process.wait()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The address of a new, empty database.
    /// - Throws: ``Program/Failure``.
    public func makeDatabase() throws -> String {
        let number = databases.add(1, ordering: .relaxed)
        try Program.run([
            "python3", "-c",
            "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], sys.argv[2].encode()).read()",
            "http://127.0.0.1:\(port)/", "CREATE DATABASE d\(number)",
        ])
        return "clickhouse://127.0.0.1:\(port)/d\(number)?window=0.02"
    }

    private static let script = #"""
        import re, shutil, sys, tempfile, threading, urllib.parse
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        import chdb

        folder = sys.argv[1]
        root = chdb.connect(folder)
        turn = threading.Lock()
        OWN = {"database", "query", "default_format", "wait_end_of_query", "cancel_http_readonly_queries_on_client_close"}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer leaves in one packet: in two, the second waits 40 ms for the acknowledgement of the first.
            wbufsize = -1

            def log_message(self, *args): pass

            def do_POST(self):
                parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                format = parameters.get("default_format", "TabSeparated")
                try:
                    with turn:
                        answer, status = self.run(parameters, body, format), 200
                except Exception as error:
                    answer, status = str(error).encode(), 500
                self.send_response(status)
                self.send_header("Content-Type", "text/tab-separated-values; charset=UTF-8")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def run(self, parameters, body, format):
                connection = chdb.connect(folder)
                try:
                    connection.query("USE " + parameters.get("database", "default"))
                    for name, value in parameters.items():
                        if name not in OWN: connection.query(f"SET {name} = '{value}'")
                    sql = parameters.get("query")
                    if sql is None: return connection.query(body.decode(), format).bytes()
                    with tempfile.NamedTemporaryFile() as file:
                        file.write(body)
                        file.flush()
                        sql = re.sub(r"FORMAT (\w+)$", rf"SELECT * FROM file('{file.name}', '\1')", sql)
                        connection.query(sql)
                    return b""
                finally:
                    connection.close()

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        # Ends with whoever started it.
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        """#
}
