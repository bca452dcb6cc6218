import DaybookCollector
import Foundation

extension Option {
    /// Of what sends alerts' messages.
    static let secret = Option.value(
        "secret", "NAME", "let alerts notify by this variable's address, or send NAME=https://host there alone",
        repeatable: true)
}

extension AlertSecrets {
    /// The variables that a command declares, from the process's environment.
    /// - Throws: ``SettingError`` for one that is declared wrongly.
    init(_ arguments: Arguments) throws(SettingError) {
        let environment = ProcessInfo.processInfo.environment
        _ = try SettingError.reading("secret", arguments) { _ = try AlertSecrets([$0], environment: environment) }
        do throws(AlertTargetProblem) {
            self = try AlertSecrets(arguments.all("secret"), environment: environment)
        } catch {
            throw SettingError(name: "secret", value: arguments["secret"] ?? "", reason: error)
        }
    }
}
