import DaybookBase
import DaybookCollector
import DaybookInspector
import DaybookStore

/// The settings of `daybook serve` that can be validated without reading files.
struct ServeValues: Sendable {
    var port: Int
    var addresses: [String]
    var hosts: [String]
    var store: String
    var ownRecords: Level?
    var statementLimits: QueryLimits
    var insightLimits: QueryLimits
    /// For keys without their own.
    var keyQuota: KeyQuota
    /// In bytes.
    var storeQuota: Int64?
    var bodyLimits: BodyLimits
    /// How many nanoseconds repeated records are remembered; `nil` stores them again.
    var deduplication: UInt64?
    var retention: [RetentionRule]
    /// Environment variables that alert targets may name.
    var alertSecrets: AlertSecrets
    /// A description of what is missing for external addresses, if that was allowed.
    var exposure: String?

    /// - Throws: ``SettingError``, or ``UsageError`` for conflicting values.
    init(_ arguments: Arguments) throws {
        let ports = try SettingError.reading("port", arguments) { text in
            guard let port = Int(text), (0...65_535).contains(port) else {
                throw UsageError(message: "--port takes a number from 0 (any free port) to 65535, not `\(text)`")
            }
            return port
        }
        port = ports.first ?? 4318
        addresses = try SettingError.reading("listen", arguments) { try Exposure.numeric($0) }
        hosts = try SettingError.reading("host", arguments) { try Self.host($0) }
        store = try arguments.required("store")
        _ = try SettingError.reading("store", arguments) { try StoreAddress.check($0) }
        ownRecords = try SettingError.reading("own-records", arguments) { try Self.level($0) }.first ?? .warning
        statementLimits = .ofScreen(time: try Self.time("sql-time", arguments, most: 600))
        insightLimits = .ofInsight(time: try Self.time("insight-time", arguments, most: 3_600))
        keyQuota = try KeyQuota(arguments)
        storeQuota = try SettingError.reading("store-quota", arguments) { text in
            guard let bytes = Self.bytes(text) else {
                throw UsageError(message: "--store-quota takes bytes: 50G, or a whole number above 0, not `\(text)`")
            }
            return bytes
        }.first
        bodyLimits = BodyLimits(
            wire: try Self.bodyLimit("body-limit", arguments, most: "64M") ?? BodyLimits().wire,
            inflated: try Self.bodyLimit("decompressed-limit", arguments, most: "1G"))
        guard bodyLimits.inflated >= bodyLimits.wire else {
            throw UsageError(
                message: "--decompressed-limit is at least --body-limit, \(bodyLimits.wire) bytes, "
                    + "not \(bodyLimits.inflated)")
        }
        deduplication = try SettingError.reading("deduplicate", arguments) { try Self.window($0) }.first
        retention = try SettingError.reading("keep", arguments) { try RetentionRule($0) }
        alertSecrets = try AlertSecrets(arguments)
        let hasKeys = arguments["keys"] != nil
        if !hasKeys, keyQuota != KeyQuota() {
            throw UsageError(message: "quotas apply to keys, and no keys are configured", hint: "--keys FILE")
        }
        for (given, other) in [("tls-cert", "tls-key"), ("tls-key", "tls-cert")] {
            guard let file = arguments[given], arguments[other] == nil else { continue }
            throw SettingError(
                name: given, value: file,
                reason: UsageError(message: "--\(given) needs --\(other): the certificate and its key belong together"))
        }
        exposure = Exposure.missing(addresses: addresses, hasTLS: arguments["tls-cert"] != nil, hasKeys: hasKeys)
        if let exposure, !arguments.has("insecure") {
            throw UsageError(
                message: exposure, hint: "--insecure allows it, behind a proxy that has both")
        }
    }

    /// In seconds, from 1.
    private static func time(_ name: String, _ arguments: Arguments, most: Int) throws -> Duration {
        let times = try SettingError.reading(name, arguments) { text in
            guard let seconds = Int(text), (1...most).contains(seconds) else {
                throw UsageError(message: "--\(name) takes a number of seconds from 1 to \(most), not `\(text)`")
            }
            return Duration.seconds(seconds)
        }
        return times.first ?? .seconds(10)
    }

    /// A possible `Host` value: no scheme, no path.
    private static func host(_ name: String) throws(UsageError) -> String {
        guard !name.contains(where: { $0 == "/" || $0 == "@" || $0.isWhitespace }) else {
            throw UsageError(
                message: "--host takes a name, with a port if clients use one, not `\(name)`",
                hint: "logs.example or logs.example:4318")
        }
        return name
    }

    /// Bytes, or with a suffix KiB, MiB, GiB or TiB.
    private static func bytes(_ text: String) -> Int64? {
        let unit = text.last.flatMap { Array("KMGT").firstIndex(of: $0) }
        let number = Int64(unit == nil ? text[...] : text.dropLast()) ?? 0
        let bytes = number.multipliedReportingOverflow(by: 1 << (unit.map { 10 * ($0 + 1) } ?? 0))
        return number > 0 && !bytes.overflow ? bytes.partialValue : nil
    }

    /// At least 1 KiB; bodies are held in memory whole.
    private static func bodyLimit(_ name: String, _ arguments: Arguments, most: String) throws -> Int? {
        try SettingError.reading(name, arguments) { text in
            guard let bytes = Self.bytes(text), bytes >= 1 << 10, bytes <= Self.bytes(most) ?? 0 else {
                throw UsageError(message: "--\(name) takes bytes from 1K to \(most), such as 8M, not `\(text)`")
            }
            return Int(bytes)
        }.first
    }

    /// At most a day, in nanoseconds.
    private static func window(_ text: String) throws(UsageError) -> UInt64 {
        guard let seconds = DurationText.seconds(text, units: [.second, .minute, .hour]), (1...86_400).contains(seconds)
        else { throw UsageError(message: "--deduplicate takes a time from 1s to 24h, such as 10m, not `\(text)`") }
        return UInt64(seconds) * 1_000_000_000
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
