import DaybookTools

/// The variables of the environment that look like settings and are none: a misspelt `DAYBOOK_KEYS` would mean no keys.
enum EnvironmentNames {
    /// Read by other commands, by apps under test, and by the project's own tests and scripts.
    private static let others: Set<String> = [
        "DAYBOOK_CONFIG", "DAYBOOK_KEY", "DAYBOOK_PROBE", "DAYBOOK_IMAGE", "DAYBOOK_LONG_TESTS",
        "DAYBOOK_UPDATE_FIXTURES", "DAYBOOK_BINARY", "DAYBOOK_BINARIES", "DAYBOOK_CLONES", "DAYBOOK_ASSETS",
        "DAYBOOK_SCREENSHOT", "DAYBOOK_TEST_WEBHOOK",
    ]
    /// What Kubernetes sets in each container beside a service with the name `daybook`.
    private static let ofCluster = ["DAYBOOK_SERVICE_", "DAYBOOK_PORT_"]

    /// What to say of them, by name.
    /// - Parameters:
    ///   - options: the settings.
    ///   - folder: of alerts, whose targets name variables; one that cannot be read names none. Asked for where there are any.
    static func warnings(
        _ environment: [String: String], options: [Option], alerts folder: () throws -> String?
    ) rethrows -> [String] {
        let settings = options.map(Settings.variable)
        let unknown = environment.keys.filter { name in
            name.hasPrefix("DAYBOOK_") && !settings.contains(name) && !others.contains(name)
                && !ofCluster.contains { name.hasPrefix($0) }
        }
        guard !unknown.isEmpty else { return [] }
        let rules = try folder().flatMap { try? AlertFolder.read($0, environment: nil).rules } ?? []
        let targets = rules.flatMap(\.targets)
        return unknown.sorted().filter { name in !targets.contains { $0.contains("${\(name)}") } }.map { name in
            let near = NearestName.of(name, among: settings).map { "; did you mean \($0)?" } ?? ""
            return "the variable \(name) is no setting and has no effect\(near)"
        }
    }
}
