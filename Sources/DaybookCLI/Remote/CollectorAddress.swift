import DaybookTools
import Foundation

struct CollectorAddress: Sendable {
    /// The environment variable for the key if no option gives it; command lines are public on the machine.
    static let keyVariable = "DAYBOOK_KEY"

    /// Without a trailing slash.
    let base: String
    let key: String
    /// For messages.
    var shown: String { ShownAddress.of(base) }

    static let options =
        [.value("collector", "URL", "instead of a store: query this collector, https://logs.example")] + keyOptions

    /// For commands that do not work on a store.
    static let requiredOptions =
        [.value("collector", "URL", "the collector's address, https://logs.example", required: true)] + keyOptions

    private static let keyOptions: [Option] = [
        .value(
            "key", "KEY", "the collector's key or token; better in \(keyVariable), which process lists do not show"),
        .value("key-file", "FILE", "the file that contains the key"),
    ]

    init(base: String, key: String) { (self.base, self.key) = (base, key) }

    /// The collector of a command that does not work on a store.
    /// - Parameter purpose: required of the key, as in `daybook keys add --for`.
    /// - Throws: ``UsageError``, or ``InputError`` for the key file.
    static func required(_ arguments: Arguments, for purpose: String) throws -> CollectorAddress {
        guard let address = try CollectorAddress(arguments, for: purpose) else {
            throw UsageError(message: "--collector is missing", hint: "https://logs.example:4318")
        }
        return address
    }

    /// The given collector; `nil` if the command works on a store.
    /// - Parameter purpose: required of the key, as in `daybook keys add --for`.
    /// - Throws: ``UsageError``, or ``InputError`` for the key file.
    init?(
        _ arguments: Arguments, for purpose: String = "read",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        guard let text = arguments["collector"] else {
            for option in ["key", "key-file"] where arguments[option] != nil {
                throw UsageError(message: "--\(option) belongs to --collector")
            }
            return nil
        }
        if arguments["store"] != nil { throw UsageError(message: "--store and --collector exclude each other") }
        if arguments["key"] != nil, arguments["key-file"] != nil {
            throw UsageError(message: "--key and --key-file exclude each other")
        }
        // As printed by `serve`: the page's address, with the token in its fragment.
        let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
        guard let url = URL(string: parts[0]), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false, url.query == nil, !text.contains(where: \.isWhitespace)
        else {
            throw UsageError(
                message: "--collector takes an address, not `\(ShownAddress.of(parts.first ?? ""))`",
                hint: "https://logs.example:4318")
        }
        base = parts[0].hasSuffix("/") ? String(parts[0].dropLast()) : parts[0]
        let token = parts.count > 1 && parts[1].hasPrefix("token=") ? String(parts[1].dropFirst("token=".count)) : nil
        let file = try arguments["key-file"].map { path in
            let text = try TextFile.read(path)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let key = arguments["key"] ?? file ?? token ?? environment[Self.keyVariable], !key.isEmpty else {
            throw UsageError(
                message: "a collector needs a key",
                hint: "\(Self.keyVariable), --key-file FILE or --key KEY; `daybook keys add --for \(purpose)` makes one"
            )
        }
        // A line feed would end the header field.
        guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError(message: "the key has characters that are not allowed in a key")
        }
        self.key = key
    }
}
