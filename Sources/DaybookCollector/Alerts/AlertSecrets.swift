import DaybookBase
import Foundation

/// Environment variables that alert targets may name, each with the only origin it is sent to. The operator declares
/// them: otherwise anyone who writes an alert could send any variable anywhere (pure).
package struct AlertSecrets: Sendable {
    /// Scheme, host and port.
    struct Origin: Sendable, Hashable, CustomStringConvertible {
        private let scheme: String
        private let host: String
        private let port: Int

        var description: String { "\(scheme)://\(host):\(port)" }

        /// The origin of an http or https address; `nil` if invalid, or if parsers could disagree about the host.
        init?(_ text: String) {
            guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5C }),
                let mark = text.firstRange(of: "://"),
                let found = ["http": 80, "https": 443][text[..<mark.lowerBound].lowercased()]
            else { return nil }
            let authority = text[mark.upperBound...].prefix { !"/?#".contains($0) }
            let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count <= 2, let place = parts.last?.lowercased() else { return nil }
            let end =
                place.hasPrefix("[") ? place.firstIndex(of: "]").map(place.index(after:)) : place.firstIndex(of: ":")
            let name = place[..<(end ?? place.endIndex)]
            let rest = place[name.endIndex...]
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isOfName),
                rest.isEmpty || rest.first == ":" && rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = rest.count > 1 ? Int(rest.dropFirst()) : found, (1...65_535).contains(port),
                let host = URL(string: text)?.host?.lowercased(), name == host || name == "[\(host)]"
            else { return nil }
            (self.scheme, self.host, self.port) = (text[..<mark.lowerBound].lowercased(), String(name), port)
        }

        private static func isOfName(_ unit: UInt8) -> Bool {
            (0x30...0x3A).contains(unit) || (0x61...0x7A).contains(unit)
                || [0x2D, 0x2E, 0x5B, 0x5D, 0x5F].contains(unit)
        }
    }

    private struct Secret: Sendable {
        /// `nil` if unset in the environment.
        var value: String?
        /// `nil` if there is no value to derive it from.
        var origin: Origin?
    }

    private let secrets: [String: Secret]

    package static let none = AlertSecrets([:])

    private init(_ secrets: [String: Secret]) { self.secrets = secrets }

    /// - Parameters:
    ///   - declared: `SLACK_URL` for a variable whose value is a whole address, or
    ///     `CHATWORK_TOKEN=https://api.chatwork.com` with an explicit origin.
    ///   - environment: supplies the values.
    /// - Throws: ``AlertTargetProblem`` for the first invalid declaration; it shows no values.
    package init(_ declared: [String], environment: [String: String]) throws(AlertTargetProblem) {
        var secrets: [String: Secret] = [:]
        for text in declared {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            guard AlertTarget.isName(name) else {
                throw AlertTargetProblem(
                    message: "a secret is NAME or NAME=https://host, with the name of a variable, not `\(text)`")
            }
            guard secrets[name] == nil else { throw AlertTargetProblem(message: "the secret \(name) is given twice") }
            let value = environment[name].flatMap { $0.isEmpty ? nil : $0 }
            let place = parts.count > 1 ? parts[1] : value
            let origin = place.flatMap { Origin($0) }
            guard place == nil || origin != nil else {
                throw AlertTargetProblem(
                    message: parts.count > 1
                        ? "the secret \(name) needs a place such as https://api.example, not `\(parts[1])`"
                        : "the secret \(name) holds no http or https address; write where it may be sent: "
                            + "\(name)=https://host")
            }
            secrets[name] = Secret(value: value, origin: origin)
        }
        self.secrets = secrets
    }

    /// A variable's value and origin.
    /// - Parameter target: the target that names it, for error messages.
    func value(of name: String, for target: String) throws(AlertTargetProblem) -> (text: String, origin: Origin) {
        guard let secret = secrets[name] else {
            throw AlertTargetProblem(
                message: "`notify \(target)` names \(name), which is not declared: start the collector with "
                    + "--secret \(name), or --secret \(name)=https://host where it holds no address")
        }
        guard let value = secret.value, let origin = secret.origin else {
            throw AlertTargetProblem(message: "the environment has no \(name), which `notify \(target)` needs")
        }
        return (value, origin)
    }
}
