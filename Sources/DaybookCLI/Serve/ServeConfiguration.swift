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

/// The configuration of `daybook serve`, validated before anything starts.
struct ServeConfiguration: Sendable {
    static let defaults: [String: [String]] = [
        "port": ["4318"], "listen": HTTPServerConfiguration.loopback, "store": [StoreAddress.byDefault],
        "alerts-state": ["daybook.alerts.json"], "sql-time": ["10"], "insight-time": ["120"],
        "own-records": ["warning"],
        "insecure": ["false"],
    ]

    var server: HTTPServerConfiguration
    /// A description of what is missing for external addresses, if that was allowed.
    var exposure: String?
    var store: String
    var team: TeamFiles
    /// `nil` accepts no team requests.
    var requestRules: RequestRules?
    var token: AccessToken
    /// `nil` requires no key.
    var keys: KeyFileWatch?
    /// `nil` is unlimited.
    var storeQuota: StoreQuota?
    /// Of ingest requests.
    var bodyLimits: BodyLimits
    /// `nil` stores repeated records again.
    var repeats: RepeatedRecords?
    /// Empty keeps everything.
    var retention: [RetentionRule]
    var alerts: AlertFolderWatch?
    var alertState: AlertStateFile
    /// Environment variables that alert targets may name.
    var alertSecrets: AlertSecrets
    /// Unknown events and columns in watches; empty without definitions.
    var alertWarnings: [Diagnostic]
    /// For the SQL screen.
    var statementLimits: QueryLimits
    /// For funnels, retention and paths.
    var insightLimits: QueryLimits
    /// The least level of stored own records; `nil` stores none.
    var ownRecords: Level?

    var isSecure: Bool { server.tls != nil }

    /// - Throws: ``SettingError``, ``UsageError``, or the located errors of a definitions folder, a checklist or
    ///   another file.
    init(_ arguments: Arguments) throws {
        let values = try ServeValues(arguments)
        server = HTTPServerConfiguration(
            addresses: values.addresses, port: values.port, hostNames: values.hosts,
            tls: try TLSFiles.identity(arguments),
            // The sender of a somewhat oversized body should read the 413, not find its connection reset.
            limits: HTTPServerLimits {
                $0.discardBytes = 2 * values.bodyLimits.wire
            })
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
        alertWarnings =
            catalog.events.isEmpty ? [] : (alerts?.rules ?? []).flatMap { $0.problems(with: catalog).map(\.asWarning) }
        // Without a folder, nothing says that its alerts are gone.
        alertState = AlertStateFile(path: alerts == nil ? nil : try arguments.required("alerts-state"))
        alertSecrets = values.alertSecrets
        token = try SettingError.readingFile("token-file", arguments) { try TokenFile.token($0) } ?? AccessToken()
    }
}

enum TLSFiles {
    /// `nil` without the files, which are given together.
    /// - Throws: ``SettingError`` for an invalid file.
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

enum RequestRulesFile {
    /// - Throws: ``InputError`` if it is unreadable or has no rules.
    static func read(_ path: String) throws(InputError) -> RequestRules {
        let text = try TextFile.read(path)
        do throws(RequestRules.Problem) { return try RequestRules(json: text) } catch {
            throw InputError(file: path, message: error.description)
        }
    }
}

/// Keeps the inspector's token across restarts, readable by its owner only.
enum TokenFile {
    /// Reads the token, or creates the file.
    /// - Throws: ``InputError`` if it is unreadable or has other content, ``OwnedFile/Problem`` if it cannot be
    ///   created.
    static func token(_ path: String) throws -> AccessToken {
        // Never overwrite an existing file.
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

/// A key file, reloaded when it changes, so that revocations take effect within moments.
struct KeyFileWatch: Sendable {
    let path: String
    let ring: KeyRing
    private var stamp: FileStamp

    /// - Parameter quota: for keys without their own.
    /// - Throws: ``KeyFile/Problem``.
    init(path: String, quota: KeyQuota = KeyQuota()) throws {
        self.path = path
        stamp = FileStamp(of: path)
        ring = KeyRing(try KeyFile.read(path), quota: quota)
    }

    /// Reloads a changed file; if it is unreadable or has lost its keys, the keys stay.
    /// - Returns: whether it was reloaded.
    /// - Throws: ``KeyFile/Problem`` or ``InputError``, once per change.
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
