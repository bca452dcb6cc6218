import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookHTTP
import DaybookHTTPServer
import DaybookInspector
import DaybookStore
import Foundation

/// What `daybook serve` was asked for, read and checked before anything starts.
struct ServeConfiguration: Sendable {
    /// What holds where nothing is said.
    static let defaults: [String: [String]] = [
        "port": ["4318"], "listen": HTTPServerConfiguration.loopback, "store": [StoreAddress.byDefault],
        "alerts-state": ["daybook.alerts.json"], "sql-time": ["10"], "insight-time": ["120"],
        "own-records": ["warning"],
        "insecure": ["false"],
    ]

    var server: HTTPServerConfiguration
    /// What is missing for addresses that others reach, where that was allowed.
    var exposure: String?
    var store: String
    var team: TeamFiles
    /// What makes records of the team's own requests; `nil` takes none.
    var requestRules: RequestRules?
    var token: AccessToken
    /// The file of keys; `nil` asks for none.
    var keys: KeyFileWatch?
    /// How large the store may become; `nil` is without bound.
    var storeQuota: StoreQuota?
    /// What is kept; empty keeps all.
    var retention: [RetentionRule]
    var alerts: AlertFolderWatch?
    var alertState: AlertStateFile
    /// What watches say of events and columns that the definitions do not know; none without definitions.
    var alertWarnings: [AlertProblem]
    /// Of a statement on the SQL screen.
    var statementLimits: QueryLimits
    /// Of a funnel, a retention or a path.
    var insightLimits: QueryLimits
    /// From which level the collector's own records are stored; `nil` for none.
    var ownRecords: Level?

    /// Whether the server itself speaks TLS.
    var isSecure: Bool { server.tls != nil }

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
        statementLimits = .ofScreen(time: try Self.time("sql-time", arguments, most: 600))
        insightLimits = .ofInsight(time: try Self.time("insight-time", arguments, most: 3_600))
        let quota = try KeyQuota(arguments)
        keys = try arguments["keys"].map { try KeyFileWatch(path: $0, quota: quota) }
        storeQuota = try SettingError.reading("store-quota", arguments) { try Self.bytes($0) }.first
            .map(StoreQuota.init)
        if keys == nil, quota != KeyQuota() {
            throw UsageError(message: "quotas apply to keys, and no keys are configured", hint: "--keys FILE")
        }
        exposure = Exposure.missing(addresses: addresses, hasTLS: server.tls != nil, hasKeys: keys != nil)
        if let exposure, !arguments.has("insecure") {
            throw UsageError(
                message: exposure, hint: "--insecure allows it, behind a proxy that has both")
        }
        team = try TeamFiles(arguments)
        requestRules = try SettingError.reading("request-rules", arguments) { try RequestRulesFile.read($0) }.first
        retention = try SettingError.reading("keep", arguments) { try RetentionRule($0) }
        let environment = ProcessInfo.processInfo.environment
        let alertFolder = arguments["alerts"] ?? team.alertFolder
        alerts = try alertFolder.map { try AlertFolderWatch($0, environment: environment) }
        let catalog = EventCatalog(team.definitions)
        alertWarnings = catalog.events.isEmpty ? [] : (alerts?.rules ?? []).flatMap { $0.problems(with: catalog) }
        // Without a folder nobody says that its alerts are gone.
        alertState = AlertStateFile(path: alertFolder == nil ? nil : try arguments.required("alerts-state"))
        token = try arguments["token-file"].map(TokenFile.token) ?? AccessToken()
    }

    /// Seconds from 1.
    private static func time(_ name: String, _ arguments: Arguments, most: Int) throws -> Duration {
        let times = try SettingError.reading(name, arguments) { text in
            guard let seconds = Int(text), (1...most).contains(seconds) else {
                throw UsageError(message: "--\(name) takes a number of seconds from 1 to \(most), not `\(text)`")
            }
            return Duration.seconds(seconds)
        }
        return times.first ?? .seconds(10)
    }

    /// What a client's field `Host` can be: an address with its scheme or path never is.
    private static func host(_ name: String) throws(UsageError) -> String {
        guard !name.contains(where: { $0 == "/" || $0 == "@" || $0.isWhitespace }) else {
            throw UsageError(
                message: "--host takes a name, with a port if clients use one, not `\(name)`",
                hint: "logs.example or logs.example:4318")
        }
        return name
    }

    /// A number of bytes, or of KiB, MiB, GiB or TiB with the letter behind.
    private static func bytes(_ text: String) throws(UsageError) -> Int64 {
        let unit = text.last.flatMap { Array("KMGT").firstIndex(of: $0) }
        let number = Int64(unit == nil ? text[...] : text.dropLast()) ?? 0
        let bytes = number.multipliedReportingOverflow(by: 1 << (unit.map { 10 * ($0 + 1) } ?? 0))
        guard number > 0, !bytes.overflow else {
            throw UsageError(message: "--store-quota takes bytes: 50G, or a whole number above 0, not `\(text)`")
        }
        return bytes.partialValue
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

/// The certificate and the key in files.
enum TLSFiles {
    /// Who the server is; `nil` where neither file is given.
    /// - Throws: ``UsageError`` where one of them is missing, ``InputError`` where a file is not what it should be.
    static func identity(certificate: String?, key: String?) throws -> TLSIdentity? {
        switch (certificate, key) {
        case (nil, nil):
            return nil
        case (let certificate?, let key?):
            return TLSIdentity(
                certificateChain: try pem(certificate, "CERTIFICATE"), privateKey: try pem(key, "PRIVATE KEY"))
        default:
            throw UsageError(message: "--tls-cert and --tls-key belong together")
        }
    }

    private static func pem(_ path: String, _ label: String) throws -> String {
        let text = try TextFile.read(path)
        guard text.contains("-----BEGIN"), text.contains("\(label)-----") else {
            throw InputError(file: path, message: "contains no `BEGIN \(label)`; it must be PEM")
        }
        return text
    }
}

/// A file of rules that make records of a team's own requests.
enum RequestRulesFile {
    /// - Throws: ``InputError`` where it cannot be read, or has no rules.
    static func read(_ path: String) throws(InputError) -> RequestRules {
        let text = try TextFile.read(path)
        do throws(RequestRules.Problem) { return try RequestRules(json: text) } catch {
            throw InputError(file: path, message: error.description)
        }
    }
}

/// A file that keeps the inspector's token between starts, readable by its owner alone.
enum TokenFile {
    /// The token of the file, which is made if it is missing.
    /// - Throws: ``InputError`` if it cannot be read or made, or holds something else.
    static func token(_ path: String) throws -> AccessToken {
        // Only what is not there is made: anything else belongs to somebody.
        if FileManager.default.fileExists(atPath: path) {
            let text = try TextFile.read(path)
            guard let token = AccessToken(text: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw InputError(
                    file: path,
                    message: "is not a token (32 lowercase hexadecimal digits); name another file, or delete this one "
                        + "to create a new token")
            }
            return token
        }
        let token = AccessToken()
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data((token.text + "\n").utf8), attributes: [.posixPermissions: 0o600])
        else { throw InputError(file: path, message: "cannot be written: \(String(cString: strerror(errno)))") }
        return token
    }
}

/// A file of keys that is read again when it changes, so that a revoked key opens nothing a moment later.
struct KeyFileWatch: Sendable {
    let path: String
    let ring: KeyRing
    private var stamp: FileStamp

    /// - Parameter quota: of keys that have none of their own.
    /// - Throws: ``KeyFile/Problem``.
    init(path: String, quota: KeyQuota = KeyQuota()) throws {
        self.path = path
        stamp = FileStamp(of: path)
        ring = KeyRing(try KeyFile.read(path), quota: quota)
    }

    /// Reads the file where it changed; the keys stay as they are where it cannot be read.
    /// - Returns: whether it was read.
    /// - Throws: ``KeyFile/Problem``, once for each change.
    mutating func readIfChanged() throws -> Bool {
        let now = FileStamp(of: path)
        guard now != stamp else { return false }
        stamp = now
        ring.replace(with: try KeyFile.read(path))
        return true
    }
}
