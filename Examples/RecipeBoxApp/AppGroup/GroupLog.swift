import Daybook
import DaybookApple
import DaybookOTLP
import Foundation

/// The pipelines of the app and its extensions, in the app group's container: a directory for each role, one
/// installation.
enum GroupLog {
    enum Role: String { case app, notifications, widget }

    private static let group = "group.com.example.recipebox"
    private static let collector = URL(string: "https://logs.example.com") ?? URL(fileURLWithPath: "/")

    static func pipeline(for role: Role) throws -> Pipeline<EmptyContext> {
        guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
            throw CocoaError(.fileNoSuchFile)
        }
        let folder = container.appending(path: "Logs")
        var options = PipelineOptions()
        options.resource["service.name"] = "RecipeBox"
        options.resource["daybook.role"] = .string(role.rawValue)
        // iOS ends a process that is suspended while it holds a lock in a container that others share.
        options.journal.isShared = true
        options.journal.capBytes = role == .app ? 64 << 20 : 8 << 20
        options.conditions = DeviceConditions()
        let store = LogStore.directory(
            folder.appending(path: role.rawValue), files: AppleFiles.system(), installation: folder)
        return try Pipeline(store: store, options: options) {
            Redact.credentials
            Route(
                "**", to: OTLPOutput(endpoint: collector, transport: transport(for: role, in: folder)),
                waits: .while([.constrained, .lowPower]))
        }
    }

    private static func transport(for role: Role, in folder: URL) -> any HTTPTransport {
        guard role == .app else { return URLSessionTransport() }
        return BackgroundTransport(
            identifier: "com.example.recipebox.logs", directory: folder.appending(path: "Uploads"))
    }

    /// Called by the app: delivers what an extension left behind when it was suspended or ended.
    static func deliverLeftovers(of role: Role) async {
        guard let pipeline = try? pipeline(for: role) else { return }
        await pipeline.shutdown(deadline: .seconds(20))
    }
}
