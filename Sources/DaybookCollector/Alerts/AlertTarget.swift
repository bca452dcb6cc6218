import Foundation

/// Where notices of an alert go.
package enum AlertTarget {
    /// The names in `${NAME}`; `nil` where one has no end or is no name.
    static func names(in text: some StringProtocol) -> [String]? {
        var names: [String] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { return nil }
            let name = rest[start.upperBound..<end]
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 == 0x5F || isLetterOrDigit($0) }) else { return nil }
            names.append(String(name))
            rest = rest[rest.index(after: end)...]
        }
        return names
    }

    /// Whether a text is an address, or comes to one if the environment has what it names.
    static func isTarget(_ text: Substring) -> Bool {
        guard let names = names(in: text) else { return false }
        return !names.isEmpty || url(String(text)) != nil
    }

    /// The address that a target stands for.
    /// - Throws: ``AlertProblem``'s message where a name is not set or the result is no address; it does not show values.
    package static func resolve(
        _ text: String, environment: [String: String]
    ) -> Result<URL, AlertTargetProblem> {
        var resolved = text
        for name in names(in: text) ?? [] {
            guard let value = environment[name], !value.isEmpty else {
                return .failure(.init(message: "the environment has no \(name), which `notify \(text)` wants"))
            }
            resolved = resolved.split(separator: "${\(name)}", omittingEmptySubsequences: false).joined(
                separator: value)
        }
        guard let url = url(resolved) else {
            return .failure(.init(message: "`notify \(text)` comes to no http or https address"))
        }
        return .success(url)
    }

    /// Whom a line in the log names: never the path, which is a secret of many services, nor a name and password.
    static func host(of url: URL) -> String {
        (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
    }

    static func url(_ text: String) -> URL? {
        // Foundation would escape a space, and send two addresses to the first one's host.
        guard !text.contains(where: \.isWhitespace), let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            url.host?.isEmpty == false
        else { return nil }
        return url
    }

    private static func isLetterOrDigit(_ unit: UInt8) -> Bool {
        (0x30...0x39).contains(unit) || (0x41...0x5A).contains(unit) || (0x61...0x7A).contains(unit)
    }
}

/// Why a target cannot be used; shows no values of the environment.
package struct AlertTargetProblem: Error, Sendable, CustomStringConvertible {
    var message: String
    package var description: String { message }
}
