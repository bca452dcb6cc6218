import DaybookTools
import Foundation

extension Command {
    /// Settable by option, environment or settings file.
    static let serveOptions: [Option] =
        [
            .value("port", "PORT", "listen on this port; 0 chooses a free one; default 4318"),
            .value("listen", "ADDRESS", "listen on this numeric address; default 127.0.0.1 and ::1", repeatable: true),
            .value("host", "NAME", "also serve this Host, not only the addresses: logs.example:4318", repeatable: true),
            .value("store", "STORE", "where records are kept; default \(StoreAddress.byDefault)"),
            .value("definitions", "DIR", "the team's definitions, or its project file; default ./daybook.json"),
            .value("checklists", "DIR", "the folder of the team's checklists; default the project's"),
            .value("boards", "DIR", "the folder of the team's boards; default the project's, or LogBoards"),
            .value("coverage", "FILE", "show this report of `daybook coverage --json` in the dictionary"),
            .value("request-rules", "FILE", "receive the team's own log requests below /v1/requests/, by these rules"),
            .value("token-file", "FILE", "keep the inspector's token in this file between starts"),
            .value("keys", "FILE", "accept records only with a key from this file; see `daybook keys`"),
        ] + Option.keyQuota + [
            .value("store-quota", "BYTES", "accept no records while the store is larger: 50G, or a number of bytes"),
            .value("body-limit", "BYTES", "accept no body of more bytes as sent, 1K to 64M; default 4M"),
            .value("decompressed-limit", "BYTES", "nor one that decompresses to more; default four times as much"),
            .value(
                "deduplicate", "TIME",
                "store a record once that its sender repeats within this time, by its uid: 10m; default stores each"),
            .value("tls-cert", "FILE", "the certificate chain in PEM; with --tls-key"),
            .value("tls-key", "FILE", "the certificate's private key in PEM"),
            .value("keep", "RULE", "keep since arrival: 90d, or '7d debug.**'; default all", repeatable: true),
            .value("alerts", "DIR", "the folder of the team's alerts; default the project's"),
            .value("alerts-state", "FILE", "keep the alerts' state in this file; default daybook.alerts.json"),
            .secret,
            .value("sql-time", "SECONDS", "time limit of a statement on the SQL screen, 1 to 600; default 10"),
            .value("insight-time", "SECONDS", "time limit of a funnel, retention or path, 1 to 3600; default 120"),
            .value("own-records", "LEVEL", "store its own records from this level up, or none; default warning"),
            .flag("insecure", "allow listening beyond the loopback without TLS or keys"),
        ]

    static let serve = Command(
        name: "serve", summary: "Run the collector and the inspector",
        options: serveOptions + [
            .value("config", "FILE", "a file with these settings, one `name = value` per line"),
            .flag("print-config", "print every setting with its value and its source, and exit"),
        ],
        details: """
            Receives OpenTelemetry at /v1/logs and /v1/traces, NDJSON at /v1/events and, by --request-rules, a team's own
            requests below /v1/requests/. Ends on Ctrl-C.
            An option overrides its environment variable (--tls-cert: DAYBOOK_TLS_CERT), which overrides the file.
            """
    ) { arguments, console in
        let environment = ProcessInfo.processInfo.environment
        let path = arguments["config"] ?? environment["DAYBOOK_CONFIG"]
        let file = try path.map { try SettingsFile(TextFile.read($0), path: $0, options: serveOptions) }
        let settings = try Settings(
            options: serveOptions, arguments: arguments, environment: environment, file: file,
            defaults: ServeConfiguration.defaults)
        let configuration: ServeConfiguration
        do {
            let completed = { try settings.completed(by: TeamFiles.folders(settings.arguments)) }
            let warnings = try EnvironmentNames.warnings(environment, options: serveOptions) {
                try completed().arguments["alerts"]
            }
            for warning in warnings { console.errors("warning: \(warning.printable)\n") }
            if arguments.has("print-config") {
                _ = try ServeValues(settings.arguments)
                console.output(try completed().text)
                return .done
            }
            configuration = try ServeConfiguration(settings.arguments)
        } catch let error as SettingError {
            throw settings.located(error)
        }
        configuration.team.leftOut.forEach(console.errors)
        for problem in configuration.alertWarnings { console.errors("\(problem)\n") }
        let service = try await Service(configuration, tell: console.errors)
        let end = try TerminationSignal()
        console.output("Inspector: \(try service.start())\n")
        await end.wait()
        await service.stop()
        return .done
    }
}

/// Finds environment variables that look like settings but are not: a misspelt `DAYBOOK_KEYS` would mean no keys.
enum EnvironmentNames {
    /// Read by other commands, apps under test, and the project's tests and scripts.
    private static let others: Set<String> = [
        "DAYBOOK_CONFIG", "DAYBOOK_KEY", "DAYBOOK_PROBE", "DAYBOOK_IMAGE", "DAYBOOK_LONG_TESTS",
        "DAYBOOK_UPDATE_FIXTURES", "DAYBOOK_BINARY", "DAYBOOK_BINARIES", "DAYBOOK_CLONES", "DAYBOOK_ASSETS",
        "DAYBOOK_SCREENSHOT", "DAYBOOK_TEST_WEBHOOK",
    ]
    /// Kubernetes sets these for a service named `daybook`.
    private static let ofCluster = ["DAYBOOK_SERVICE_", "DAYBOOK_PORT_"]

    /// Warnings, by name.
    /// - Parameters:
    ///   - options: the settings.
    ///   - folder: of alerts, whose targets name variables; an unreadable one names none. Called only if there are
    ///     suspects.
    static func warnings(
        _ environment: [String: String], options: [Option], alerts folder: () throws -> String?
    ) rethrows -> [String] {
        let settings = options.map(Settings.variable)
        let unknown = environment.keys.filter { name in
            name.hasPrefix("DAYBOOK_") && !settings.contains(name) && !others.contains(name)
                && !ofCluster.contains { name.hasPrefix($0) }
        }
        guard !unknown.isEmpty else { return [] }
        let rules = try folder().flatMap { try? AlertFolder.read($0, secrets: nil).rules } ?? []
        let targets = rules.flatMap(\.targets)
        return unknown.sorted().filter { name in !targets.contains { $0.contains("${\(name)}") } }.map { name in
            let near = NearestName.of(name, among: settings).map { "; did you mean \($0)?" } ?? ""
            return "the variable \(name) is no setting and has no effect\(near)"
        }
    }
}
