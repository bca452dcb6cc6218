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
    /// What is missing for addresses that others reach, where that was allowed.
    var exposure: String?
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

    /// - Throws: ``SettingError``, ``UsageError``, or the located errors of a definitions folder, a checklist or another file.
    init(_ arguments: Arguments) throws {
        let ports = try SettingError.reading("port", arguments) { text in
            guard let port = Int(text), (0...65_535).contains(port) else {
                throw UsageError(message: "--port takes a number from 0 (any free port) to 65535, not `\(text)`")
            }
            return port
        }
        let addresses = try SettingError.reading("listen", arguments) { try Exposure.numeric($0) }
        let hosts = try SettingError.reading("host", arguments) { try Self.host($0) }
        server = HTTPServerConfiguration(
            addresses: addresses, port: ports.first ?? 4318, hostNames: hosts,
            tls: try TLSFiles.identity(certificate: arguments["tls-cert"], key: arguments["tls-key"]))
        store = try arguments.required("store")
        _ = try SettingError.reading("store", arguments) { try StoreAddress.check($0) }
        ownRecords = try SettingError.reading("own-records", arguments) { try Self.level($0) }.first ?? .warning
        keys = try arguments["keys"].map(KeyFileWatch.init)
        exposure = Exposure.missing(addresses: addresses, hasTLS: server.tls != nil, hasKeys: keys != nil)
        if let exposure, !arguments.has("insecure") {
            throw UsageError(
                message: exposure, hint: "--insecure listens all the same: behind a proxy that has both")
        }
        team = try TeamFiles(arguments)
        retention = try SettingError.reading("keep", arguments) { try RetentionRule($0) }
        let environment = ProcessInfo.processInfo.environment
        let alertFolder = arguments["alerts"] ?? team.alertFolder
        alerts = try alertFolder.map { try AlertFolder.load($0, environment: environment) } ?? []
        let catalog = EventCatalog(team.definitions)
        alertWarnings = catalog.events.isEmpty ? [] : alerts.flatMap { $0.problems(with: catalog) }
        // Without a folder nobody says that its alerts are gone.
        alertState = AlertStateFile(path: alertFolder == nil ? nil : try arguments.required("alerts-state"))
        token = try arguments["token-file"].map(TokenFile.token) ?? AccessToken()
    }

    /// What a client's field `Host` can be: an address with its scheme or path never is.
    private static func host(_ name: String) throws(UsageError) -> String {
        guard !name.contains(where: { $0 == "/" || $0 == "@" || $0.isWhitespace }) else {
            throw UsageError(
                message: "--host takes a name, and a port where clients name one, not `\(name)`",
                hint: "logs.example or logs.example:4318")
        }
        return name
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
