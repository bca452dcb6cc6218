/// The settings of a command from its options, the environment and a file, in this order (pure).
struct Settings: Sendable {
    /// One for each option, in the options' order.
    let all: [Setting]

    /// Puts the sources together.
    /// - Parameters:
    ///   - options: what may be set.
    ///   - arguments: the command line.
    ///   - environment: an option `tls-cert` is `DAYBOOK_TLS_CERT`; the values of a repeatable one are parted by commas.
    ///   - file: a file of settings.
    ///   - defaults: what holds where nothing is said, to be shown.
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
                    throw UsageError(message: "\(variable) is true or false, not `\(text)`")
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

    /// The environment variable of an option.
    static func variable(of option: Option) -> String {
        "DAYBOOK_" + option.name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// The settings as a command reads them.
    var arguments: Arguments {
        var arguments = Arguments()
        for setting in all where !setting.values.isEmpty {
            let values = setting.values.map(\.text)
            if values == ["true"] { arguments.flags.insert(setting.name) }
            arguments.values[setting.name] = values
        }
        return arguments
    }

    /// An error about a setting's value with where the value came from: `/etc/daybook.conf:3: …`.
    func located(_ error: SettingError) -> UsageError {
        let values = all.first { $0.name == error.name }?.values ?? []
        let origin = (values.first { $0.text == error.value } ?? values.first)?.origin
        let usage = error.reason as? UsageError ?? UsageError(message: "\(error.reason)")
        guard let origin, origin != .option, origin != .byDefault else { return usage }
        return UsageError(message: "\(origin): \(usage.message)", hint: usage.hint)
    }

    /// A file of settings that says the same, but for passwords, each line with its origin.
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

    /// An address `scheme://user:password@…` or `…?password=…` with `…` for the password.
    private static func withoutPassword(_ text: String) -> String {
        var text = text
        if let match = text.firstMatch(of: /:\/\/[^\/?@:]*:(.*)@/) {
            text.replaceSubrange(match.1.startIndex..<match.1.endIndex, with: "…")
        }
        return text.replacing(/(?i)([?&][a-z_]*password=)[^&]*/) { "\($0.1)…" }
    }
}
