import DaybookProcesses
import DaybookTesting
import Foundation

/// The app in its own process, with the test's content and receiver. Its files outlive a session, as on a phone.
final class RecipeBoxRun: Sendable {
    let probe: LogProbe
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        probe = try LogProbe()
        let content = Self.folder.appending(path: "Content")
        try probe.serve("/recipes", file: content.appending(path: "recipes.json"))
        try probe.serve("/weekly_menu", file: content.appending(path: "recipes.json"))
        try probe.serve("/recipes/1", file: content.appending(path: "recipe.json"))
        probe.serve("/recipes/1/save", method: "POST", status: 204, body: [])
        probe.serve("/recommendations", status: 500, body: Array("{}".utf8))
        var nothingFound = URLComponents()
        nothingFound.path = "/recipes"
        nothingFound.queryItems = [URLQueryItem(name: "q", value: "ドラゴンフルーツ")]
        probe.serve(nothingFound.string ?? "", body: Array("[]".utf8))
    }

    deinit {
        probe.stop()
        directory.remove()
    }

    static var folder: URL { URL(filePath: #filePath).deletingLastPathComponent() }

    /// Runs the first session until the user cooks, then kills the app.
    func firstSession() async throws {
        let app = try launch("first")
        try await app.wait(forLine: "checkpoint: saved")
        try app.send("")
        try await app.wait(forLine: "checkpoint: cooking")
        app.kill()
        try await app.end()
    }

    /// Runs the second session to its end, when everything is delivered.
    ///
    /// - Returns: The app's exit status.
    func secondSession(_ arguments: String...) async throws -> Int32 {
        try await launch("second", arguments).end()
    }

    private func launch(_ session: String, _ arguments: [String] = []) throws -> AppProcess {
        try AppProcess(
            BuiltProduct.url("RecipeBox"),
            arguments: [
                // Nothing listens there: a record not sent to the probe never arrives.
                "--session", session, "--collector", "http://127.0.0.1:9", "--api", probe.url.absoluteString,
                "--data", directory.url.appending(path: "logs").path,
                "--tally", directory.url.appending(path: "tally").path,
            ] + arguments, environment: probe.environment)
    }
}
