import Daybook
import DaybookChecklist
import DaybookCollector
import DaybookHTTP
import DaybookInspector
import DaybookServer
import DaybookStore
import Foundation

/// What `daybook serve` was asked for, read and checked before anything starts.
struct ServeConfiguration: Sendable {
    /// What holds where nothing is said.
    static let defaults: [String: [String]] = [
        "port": ["4318"], "listen": HTTPServerConfiguration.loopback, "store": ["sqlite:daybook.sqlite"],
        "alerts-state": ["daybook.alerts.json"], "own-records": ["warning"], "insecure": ["false"],
    ]

    var server: HTTPServerConfiguration
    var store: String
    var team: TeamFiles
    var token: AccessToken
    /// The file of keys; `nil` asks for none.
    var keys: KeyFileWatch?
    /// What is kept; empty keeps all.
    var retention: [RetentionRule]
    var alerts: [AlertRule]
    var alertState: AlertStateFile
    /// What watches say of events and columns that the definitions do not know; none without definitions.
    var alertWarnings: [AlertProblem]
    /// From which level the collector's own records are stored; `nil` for none.
    var ownRecords: Level?

    /// - Throws: ``UsageError``, or the located errors of a definitions folder, a checklist or another file.
    init(_ arguments: Arguments) throws {
        guard let port = Int(try arguments.required("port")), (0...65_535).contains(port) else {
            throw UsageError(message: "--port takes a number from 0 (any free port) to 65535")
        }
        server = HTTPServerConfiguration(
            addresses: arguments.all("listen"), port: port, hostNames: arguments.all("host"),
            tls: try TLSFiles.identity(certificate: arguments["tls-cert"], key: arguments["tls-key"]))
        store = try arguments.required("store")
        ownRecords = try Self.level(try arguments.required("own-records"))
        keys = try arguments["keys"].map(KeyFileWatch.init)
        try Exposure.check(
            addresses: server.addresses, hasTLS: server.tls != nil, hasKeys: keys != nil,
            isAllowed: arguments.has("insecure"))
        team = try TeamFiles(arguments)
        retention = try arguments.all("keep").map { try RetentionRule($0) }
        let environment = ProcessInfo.processInfo.environment
        let alertFolder = arguments["alerts"] ?? team.alertFolder
        alerts = try alertFolder.map { try AlertFolder.load($0, environment: environment) } ?? []
        let catalog = EventCatalog(team.definitions)
        alertWarnings = catalog.events.isEmpty ? [] : alerts.flatMap { $0.problems(with: catalog) }
        // Without a folder nobody says that its alerts are gone.
        alertState = AlertStateFile(path: alertFolder == nil ? nil : try arguments.required("alerts-state"))
        token = try arguments["token-file"].map(TokenFile.token) ?? AccessToken()
    }

    private static func level(_ name: String) throws(UsageError) -> Level? {
        if name == "none" { return nil }
        guard let level = Level(name: name) else {
            throw UsageError(
                message:
                    "--own-records takes none, \(Level.allCases.map(\.name).joined(separator: ", ")), not `\(name)`")
        }
        return level
    }
}
