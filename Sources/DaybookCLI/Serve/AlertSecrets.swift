import DaybookCollector
import Foundation

extension Option {
    static let secret = Option.value(
        "secret", "NAME", "let alerts notify by this variable's address, or send NAME=https://host there alone",
        repeatable: true)
}

extension AlertSecrets {
    /// The variables that a command declares, with values from the environment.
    /// - Throws: ``SettingError`` for an invalid declaration.
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
