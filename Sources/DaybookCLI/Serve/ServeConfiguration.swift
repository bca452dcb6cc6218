import DaybookChecklist
import DaybookDefinitions
import DaybookInspector
import DaybookServer
import Foundation

/// What `daybook serve` was asked for, read and checked before anything starts.
struct ServeConfiguration: Sendable {
    var server: HTTPServerConfiguration
    var store: String
    var definitions: Definitions
    var checklists: [Checklist]
    var token: AccessToken

    /// - Throws: ``UsageError``, or the located errors of a definitions folder or a checklist.
    init(_ arguments: Arguments) throws {
        guard let port = Int(arguments["port"] ?? "4318"), (0...65_535).contains(port) else {
            throw UsageError(message: "--port takes a number from 0 (any free port) to 65535")
        }
        server = HTTPServerConfiguration(port: port)
        store = arguments["store"] ?? "sqlite:daybook.sqlite"
        definitions = Definitions()
        if let folder = arguments["definitions"] {
            let (found, diagnostics) = try DefinitionsFolder.load(folder)
            let errors = diagnostics.filter { $0.severity == .error }
            guard errors.isEmpty else {
                throw InputError(file: folder, message: errors.map(\.description).joined(separator: "\n"))
            }
            definitions = found
        }
        checklists = try arguments["checklists"].map(ChecklistFolder.load) ?? []
        token = try arguments["token-file"].map(TokenFile.token) ?? AccessToken()
    }
}
