import DaybookBase
import DaybookChecklist
import DaybookTools

/// A command's settings from its options, the environment and a file, in order of precedence (pure).
struct Settings: Sendable {
    /// In the options' order.
    private(set) var all: [Setting]

    /// - Parameters:
    ///   - options: the possible settings.
    ///   - arguments: the command line.
    ///   - environment: `tls-cert` is `DAYBOOK_TLS_CERT`; repeatable values are separated by commas.
    ///   - file: a settings file.
    ///   - defaults: shown for unset options.
    /// - Throws: ``UsageError`` for a flag in the environment that is neither true nor false.
    init(
        options: [Option], arguments: Arguments, environment: [String: String], file: SettingsFile?,
        defaults: [String: [String]]
    ) throws(UsageError) {
        var all: [Setting] = []
        for option in options {
            all.append(
                try Self.setting(option, arguments, environment, file)
                    ?? Setting(name: option.name, values: defaults[option.name] ?? [], origin: .byDefault))
        }
        self.all = all
    }

    private static func setting(
        _ option: Option, _ arguments: Arguments, _ environment: [String: String], _ file: SettingsFile?
    ) throws(UsageError) -> Setting? {
        let isFlag = option.argument == .none
        if isFlag ? arguments.has(option.name) : arguments[option.name] != nil {
            return Setting(
                name: option.name, values: isFlag ? ["true"] : arguments.all(option.name), origin: .option)
        }
        let variable = Self.variable(of: option)
        if let text = environment[variable], !text.isEmpty {
            var values = [text]
            if option.isRepeatable {
                values = text.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
            }
            if isFlag {
                guard ["1", "true", "0", "false"].contains(text) else {
                    throw UsageError(message: "\(variable) must be true or false, not `\(text)`")
                }
                values = [text == "1" || text == "true" ? "true" : "false"]
            }
            return Setting(name: option.name, values: values, origin: .environment(variable))
        }
        let entries = file?.entries.filter { $0.name == option.name } ?? []
        guard let file, !entries.isEmpty else { return nil }
        return Setting(
            name: option.name,
            values: entries.map { .init(text: $0.value, origin: .file(file.path, line: $0.line)) })
    }

    static func variable(of option: Option) -> String {
        "DAYBOOK_" + option.name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    var arguments: Arguments {
        var arguments = Arguments()
        for setting in all where !setting.values.isEmpty {
            let values = setting.values.map(\.text)
            if values == ["true"] { arguments.flags.insert(setting.name) }
            arguments.values[setting.name] = values
        }
        return arguments
    }

    /// Fills unset folders from a project file.
    func completed(by project: [(name: String, path: String, file: String)]) -> Settings {
        var settings = self
        for (name, path, file) in project {
            guard let index = all.firstIndex(where: { $0.name == name }), all[index].values.isEmpty else { continue }
            settings.all[index] = Setting(name: name, values: [.init(text: path, origin: .project(file))])
        }
        return settings
    }

    /// Adds the value's origin to an error: `/etc/daybook.conf:3: …`.
    func located(_ error: SettingError) -> UsageError {
        let values = all.first { $0.name == error.name }?.values ?? []
        let origin = (values.first { $0.text == error.value } ?? values.first)?.origin
        let usage = error.reason as? UsageError ?? UsageError(message: "\(error.reason)")
        guard let origin, origin != .option, origin != .byDefault else { return usage }
        return UsageError(message: "\(origin): \(usage.message)", hint: usage.hint)
    }

    /// An equivalent settings file without passwords, with each line's origin.
    var text: String {
        let lines = all.flatMap { setting in
            setting.values.isEmpty
                ? [("# \(setting.name) =", .byDefault)]
                : setting.values.map { ("\(setting.name) = \(Self.withoutPassword($0.text))", $0.origin) }
        }
        let width = lines.map(\.0.count).max() ?? 0
        return lines.map { line, origin in
            line + String(repeating: " ", count: width - line.count) + "  # \(origin)\n"
        }.joined()
    }

    /// Replaces the password in `scheme://user:password@…` or `…?password=…`.
    private static func withoutPassword(_ text: String) -> String {
        var text = text
        if let match = text.firstMatch(of: /:\/\/[^\/?@:]*:(.*)@/) {
            text.replaceSubrange(match.1.startIndex..<match.1.endIndex, with: "…")
        }
        return text.replacing(/(?i)([?&][a-z_]*password=)[^&]*/) { "\($0.1)…" }
    }
}

struct Setting: Sendable {
    /// The origin of a value, in order of precedence.
    enum Origin: Sendable, Hashable, CustomStringConvertible {
        case option
        case environment(String)
        case file(String, line: Int)
        case project(String)
        case byDefault

        var description: String {
            switch self {
            case .option: "the command line"
            case .environment(let name): name
            case .file(let path, let line): "\(path):\(line)"
            case .project(let path): path
            case .byDefault: "default"
            }
        }
    }

    /// A value; each line of a file has its own origin.
    struct Value: Sendable, Hashable {
        /// `true` for a flag that is set.
        var text: String
        var origin: Origin
    }

    var name: String
    /// Empty if unset.
    var values: [Value]
}

extension Setting {
    init(name: String, values: [String], origin: Origin) {
        self.init(name: name, values: values.map { Value(text: $0, origin: origin) })
    }
}

/// A settings file: `name = value` lines, named like the options. `#` at the start of a line, or after a space, begins
/// a comment. A repeatable option takes several lines; a flag is `true` or `false`.
struct SettingsFile {
    struct Entry {
        var name: String
        var value: String
        var line: Int
    }

    let path: String
    private(set) var entries: [Entry] = []

    /// - Parameter options: the possible settings.
    /// - Throws: ``InputError`` with the line of the first error.
    init(_ text: String, path: String, options: [Option]) throws(InputError) {
        self.path = path
        // Some editors write a byte order mark.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let content = Self.trimmed(Self.withoutComment(line))
            if content.isEmpty { continue }
            entries.append(try entry(content, line: index + 1, options))
        }
    }

    private func entry(_ content: Substring, line: Int, _ options: [Option]) throws(InputError) -> Entry {
        guard let equals = content.firstIndex(of: "=") else {
            throw InputError(file: path, line: line, message: "a line must be `name = value`")
        }
        let name = String(Self.trimmed(content[..<equals]))
        let value = String(Self.trimmed(content[content.index(after: equals)...]))
        guard let option = options.first(where: { $0.name == name }) else {
            let near = NearestName.of(name, among: options.map(\.name)).map { "; did you mean `\($0)`?" } ?? ""
            throw InputError(file: path, line: line, message: "there is no setting `\(name)`\(near)")
        }
        if value.isEmpty { throw InputError(file: path, line: line, message: "the value of `\(name)` is empty") }
        if !option.isRepeatable, let first = entries.first(where: { $0.name == name }) {
            throw InputError(file: path, line: line, message: "`\(name)` is set twice; first on line \(first.line)")
        }
        if option.argument == .none, value != "true", value != "false" {
            throw InputError(file: path, line: line, message: "`\(name)` must be true or false")
        }
        return Entry(name: name, value: value, line: line)
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        if trimmed(line).hasPrefix("#") { return "" }
        return line.firstRange(of: " #").map { line[..<$0.lowerBound] } ?? line
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}

/// An invalid value; ``Settings/located(_:)`` adds its origin.
struct SettingError: Error, CustomStringConvertible {
    var name: String
    var value: String
    var reason: any Error

    var description: String { "\(reason)" }

    /// Parses each value of a setting.
    /// - Throws: ``SettingError``.
    static func reading<Value>(
        _ name: String, _ arguments: Arguments, _ read: (String) throws -> Value
    ) throws(SettingError) -> [Value] {
        var values: [Value] = []
        for text in arguments.all(name) {
            do {
                values.append(try read(text))
            } catch {
                throw SettingError(name: name, value: text, reason: error)
            }
        }
        return values
    }
}
