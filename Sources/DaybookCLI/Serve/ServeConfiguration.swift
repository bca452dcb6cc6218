import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookCollector
import DaybookHTTP
import DaybookHTTPServer
import DaybookInspector
import DaybookStore
import DaybookTools
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
    /// Of a request that brings records.
    var bodyLimits: BodyLimits
    /// What leaves out records that a sender repeats; `nil` where each is stored.
    var repeats: RepeatedRecords?
    /// What is kept; empty keeps all.
    var retention: [RetentionRule]
    var alerts: AlertFolderWatch?
    var alertState: AlertStateFile
    /// What targets of alerts may name of the environment.
    var alertSecrets: AlertSecrets
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
        let values = try ServeValues(arguments)
        server = HTTPServerConfiguration(
            addresses: values.addresses, port: values.port, hostNames: values.hosts,
            tls: try TLSFiles.identity(arguments),
            // A sender whose body is a few times too large shall read the 413, and not find its connection broken.
            limits: HTTPServerLimits(discardBytes: 2 * values.bodyLimits.wire))
        (store, ownRecords, exposure) = (values.store, values.ownRecords, values.exposure)
        (statementLimits, insightLimits) = (values.statementLimits, values.insightLimits)
        bodyLimits = values.bodyLimits
        repeats = values.deduplication.map { RepeatedRecords(window: $0) }
        (storeQuota, retention) = (values.storeQuota.map(StoreQuota.init), values.retention)
        keys = try SettingError.readingFile("keys", arguments) { try KeyFileWatch(path: $0, quota: values.keyQuota) }
        team = try TeamFiles(arguments)
        requestRules = try SettingError.readingFile("request-rules", arguments) { try RequestRulesFile.read($0) }
        let given = try SettingError.readingFile("alerts", arguments) { try AlertFolderWatch($0) }
        alerts = try given ?? team.alertFolder.map { try AlertFolderWatch($0) }
        let catalog = EventCatalog(team.definitions)
        alertWarnings = catalog.events.isEmpty ? [] : (alerts?.rules ?? []).flatMap { $0.problems(with: catalog) }
        // Without a folder nobody says that its alerts are gone.
        alertState = AlertStateFile(path: alerts == nil ? nil : try arguments.required("alerts-state"))
        alertSecrets = values.alertSecrets
        token = try SettingError.readingFile("token-file", arguments) { try TokenFile.token($0) } ?? AccessToken()
    }
}

/// The certificate and the key in files.
enum TLSFiles {
    /// Who the server is; `nil` where the files are not given, which are given together.
    /// - Throws: ``SettingError`` where a file is not what it should be.
    static func identity(_ arguments: Arguments) throws -> TLSIdentity? {
        let certificate = try SettingError.readingFile("tls-cert", arguments) { try pem($0, "CERTIFICATE") }
        let key = try SettingError.readingFile("tls-key", arguments) { try pem($0, "PRIVATE KEY") }
        guard let certificate, let key else { return nil }
        return TLSIdentity(certificateChain: certificate, privateKey: key)
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
    /// - Throws: ``InputError`` if it cannot be read or holds something else, ``OwnedFile/Problem`` if it cannot be made.
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
        try OwnedFile.edit(path, over: .version(nil), mode: 0o600) { $0 = Array((token.text + "\n").utf8) }
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

    /// Reads the file where it changed; the keys stay as they are where it cannot be read, or has lost its keys.
    /// - Returns: whether it was read.
    /// - Throws: ``KeyFile/Problem`` or ``InputError``, once for each change.
    mutating func readIfChanged() throws -> Bool {
        let now = FileStamp(of: path)
        guard now != stamp else { return false }
        stamp = now
        let (keys, saysNone) = try KeyFile.contents(of: path)
        guard !keys.isEmpty || saysNone || ring.isEmpty else {
            throw InputError(
                file: path,
                message: "has lost its keys; those that it had stay in force. Restore it, or revoke all with the line "
                    + "`\(KeyFile.hasNone)`")
        }
        ring.replace(with: keys)
        return true
    }
}
