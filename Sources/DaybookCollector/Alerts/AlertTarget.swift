import DaybookBase
import DaybookTools
import Foundation

/// Where an alert's notices go, and in which format: `slack ${SLACK_URL}`, or just an address for Daybook's own.
package struct AlertTarget: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Daybook's own JSON; the default without a keyword.
        case daybook
        case slack, teams, discord
        case googleChat = "google-chat"
        case chatwork
        /// The alert's own ```` ```template ````.
        case template
    }

    /// A resolved address, including secrets.
    struct Destination {
        var kind: Kind
        var url: URL
        /// Chatwork's API token.
        var token: String?
        /// Whether it contains environment values.
        var isSecret: Bool

        /// The host for log lines: many services' paths are secret, and so are user names and passwords.
        var host: String { (url.host ?? "") + (url.port.map { ":\($0)" } ?? "") }
    }

    package let kind: Kind
    /// With `${NAME}` unresolved.
    private let address: String
    private let token: String?

    /// Parses the text after `notify`.
    /// - Throws: ``AlertTargetProblem``.
    package init(_ text: String) throws(AlertTargetProblem) {
        var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = words.first else { throw .noAddress }
        kind = first == "daybook" ? .daybook : Kind(rawValue: first) ?? .daybook
        if kind != .daybook { words.removeFirst() }
        guard kind == .daybook || !words.isEmpty else {
            throw AlertTargetProblem(message: "`notify \(first)` needs an address after it, such as ${WEBHOOK_URL}")
        }
        if kind == .chatwork {
            guard words.count == 2, Self.names(in: words[1])?.isEmpty == false else {
                throw AlertTargetProblem(
                    message: "`notify chatwork` takes a room's number and ${NAME} of a token in the environment")
            }
            let isRoom = words[0].utf8.allSatisfy { (0x30...0x39).contains($0) }
            address = isRoom ? "https://api.chatwork.com/v2/rooms/\(words[0])/messages" : words[0]
            token = words[1]
        } else {
            if words.count > 1 {
                guard Self.isAddress(words[0]) else {
                    throw words[0].allSatisfy { $0.isLetter || $0 == "-" } ? .unknownKind(words[0]) : .noAddress
                }
                throw AlertTargetProblem(message: "`notify` takes one address; write a line for each")
            }
            (address, token) = (words[0], nil)
        }
        guard Self.isAddress(address) else { throw .noAddress }
    }

    /// The target as shown to non-managers and in the log: a literal path can be secret, too.
    static func shown(_ text: String) -> String {
        text.split(separator: " ").map { word in
            if word.hasPrefix("${"), let end = word.firstIndex(of: "}") {
                return word[...end] + (word[end...].dropFirst().isEmpty ? "" : "…")
            }
            if word.contains("://") { return ShownAddress.of(word) }
            let isPlain = Kind(rawValue: String(word)) != nil || word.utf8.allSatisfy { (0x30...0x39).contains($0) }
            return isPlain ? String(word) : "…"
        }.joined(separator: " ")
    }

    /// Resolves a target's address.
    /// - Returns: a problem if a name is undeclared or unset, the result is not an address, or a value would go to a
    ///   different origin; it shows no values.
    static func resolve(_ text: String, secrets: AlertSecrets) -> Result<Destination, AlertTargetProblem> {
        let shown = shown(text)
        do throws(AlertTargetProblem) {
            let target = try AlertTarget(text)
            var origins: [String: AlertSecrets.Origin] = [:]
            let address = try filled(target.address, of: shown, secrets, &origins)
            guard let url = url(address) else {
                throw AlertTargetProblem(message: "`notify \(shown)` does not result in an http or https address")
            }
            let token = try target.token.map { (token) throws(AlertTargetProblem) in
                try filled(token, of: shown, secrets, &origins)
            }
            // A line feed would end the header field.
            guard token?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) ?? true else {
                throw AlertTargetProblem(
                    message: "the token of `notify \(shown)` has characters that a token cannot have")
            }
            let origin = AlertSecrets.Origin(address)
            if let name = origins.keys.sorted().first(where: { origins[$0] != origin }) {
                throw AlertTargetProblem(
                    message:
                        "`notify \(shown)` would send \(name) to another place than its own; --secret says where a "
                        + "variable may be sent")
            }
            return .success(
                Destination(kind: target.kind, url: url, token: token, isSecret: !origins.isEmpty))
        } catch {
            return .failure(error)
        }
    }

    /// Why a target cannot be used with these secrets; `nil` if it can.
    package static func problem(of text: String, secrets: AlertSecrets) -> AlertTargetProblem? {
        if case .failure(let problem) = resolve(text, secrets: secrets) { problem } else { nil }
    }

    private static func filled(
        _ text: String, of target: String, _ secrets: AlertSecrets, _ origins: inout [String: AlertSecrets.Origin]
    ) throws(AlertTargetProblem) -> String {
        var resolved = ""
        var rest = text[...]
        // One pass: `${NAME}` within a value is not resolved.
        while let start = rest.firstRange(of: "${"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            let name = String(rest[start.upperBound..<end])
            let (value, origin) = try secrets.value(of: name, for: target)
            origins[name] = origin
            resolved += rest[..<start.lowerBound] + value
            rest = rest[rest.index(after: end)...]
        }
        return resolved + rest
    }

    /// The names in `${NAME}`; `nil` if one is unterminated or invalid.
    private static func names(in text: some StringProtocol) -> [String]? {
        var names: [String] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { return nil }
            let name = rest[start.upperBound..<end]
            guard isName(name) else { return nil }
            names.append(String(name))
            rest = rest[rest.index(after: end)...]
        }
        return names
    }

    /// Whether a text is an address, or could be once its names are resolved.
    private static func isAddress(_ text: String) -> Bool {
        guard let names = names(in: text) else { return false }
        return !names.isEmpty || url(text) != nil
    }

    private static func url(_ text: String) -> URL? {
        // Foundation would escape a space, and send two addresses to the first one's host.
        guard !text.contains(where: \.isWhitespace), let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            url.host?.isEmpty == false
        else { return nil }
        return url
    }

    /// Whether a text is a valid variable name: uppercase and lowercase letters, digits and `_`.
    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                $0 == 0x5F || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
    }
}

/// Why a target cannot be used; shows no environment values.
package struct AlertTargetProblem: Error, Sendable, CustomStringConvertible {
    var message: String
    package var description: String { message }

    static let noAddress = AlertTargetProblem(
        message: "`notify` takes an http or https address, or ${NAME} for one in the environment")

    static func unknownKind(_ word: String) -> AlertTargetProblem {
        let kinds = AlertTarget.Kind.allCases.dropFirst().map(\.rawValue)
        let near = NearestName.of(word, among: kinds).map { " (did you mean `\($0)`?)" } ?? ""
        return AlertTargetProblem(
            message:
                "`notify \(word) …` is not a known service\(near): there are \(kinds.joined(separator: ", ")), "
                + "or an http or https address alone")
    }
}
