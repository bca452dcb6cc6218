import Daybook
import DaybookBase
import DaybookCollector
import DaybookStore
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Command {
    static let alertsTest = Command(
        name: "alerts test", summary: "Send a test message to whom an alert tells",
        options: [],
        operands: ("DIR NAME", 2...2),
        details:
            "The addresses come from this command's environment, as `notify` names them. Exit status 1 if a target "
            + "does not take the message."
    ) { arguments, console in
        let (folder, name) = (arguments.operands[0], arguments.operands[1])
        let rules = try AlertFolder.load(folder, environment: nil)
        guard let rule = rules.first(where: { $0.name == name }) else {
            let near = NearestName.of(name, among: rules.map(\.name)).map { "did you mean `\($0)`?" }
            throw UsageError(message: "\(folder) has no alert `\(name)`", hint: near)
        }
        guard !rule.targets.isEmpty else {
            throw UsageError(message: "the alert `\(name)` tells nobody", hint: "- notify ${WEBHOOK_URL}")
        }
        let outcomes = await AlertTest.send(
            rule, environment: ProcessInfo.processInfo.environment, version: Release.version,
            at: PipelineClock.system.wall())
        for outcome in outcomes {
            console.output("\(outcome.target): \(outcome.failure.map { "not taken: \($0)" } ?? "taken")\n")
        }
        return outcomes.contains { $0.failure != nil } ? .no : .done
    }

    static let alertsMute = Command(
        name: "alerts mute", summary: "Tell nobody for some time that an alert fires",
        options: [
            .value("for", "TIME", "how long, such as 2h, at most 30d; 0s ends it"),
            .value("by", "NAME", "who wants it, for the others; the user of this machine where it is not said"),
            .value("collector", "URL", "the collector's address, as `serve` prints it"),
            .value("key-file", "FILE", "a file with the token, where the address has none; or DAYBOOK_KEY"),
        ],
        operands: ("NAME", 1...1),
        details: "What still fires when the time is over is told then. Who was told before is told the end."
    ) { arguments, console in
        let name = arguments.operands[0]
        let time = try arguments.required("for")
        let environment = ProcessInfo.processInfo.environment
        let collector = try AlertCollector(arguments, environment)
        let by = arguments["by"] ?? environment["USER"] ?? "somebody"
        let answer = try await collector.post(
            "api/v1/alerts/mute", ["alert": .string(name), "for": .string(time), "by": .string(by)])
        guard answer.status == 200 else {
            console.errors("error: \(answer.message)\n")
            return .no
        }
        console.output(
            time.hasPrefix("0") ? "\(name) is not muted any more.\n" : "\(name) is muted for \(time), by \(by).\n")
        return .done
    }
}

/// A collector that runs, and what opens it.
private struct AlertCollector {
    private let base: URL
    private let token: String

    /// - Throws: ``UsageError``, or what reading the file says.
    init(_ arguments: Arguments, _ environment: [String: String]) throws {
        let parts = try arguments.required("collector").split(separator: "#", maxSplits: 1).map(String.init)
        guard let url = URL(string: parts[0]), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw UsageError(
                message: "--collector takes an address, not `\(parts[0])`", hint: "http://127.0.0.1:4318")
        }
        let own = parts.count > 1 && parts[1].hasPrefix("token=") ? String(parts[1].dropFirst("token=".count)) : nil
        let file = try arguments["key-file"].map { path in
            try TextFile.read(path).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let token = file ?? own ?? environment["DAYBOOK_KEY"], !token.isEmpty,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw UsageError(
                message: "the collector wants its token", hint: "--key-file FILE, or DAYBOOK_KEY in the environment")
        }
        (base, self.token) = (url, token)
    }

    /// Sends JSON.
    /// - Returns: the status, and what stands in its way for people.
    func post(_ path: String, _ body: Attributes) async throws -> (status: Int, message: String) {
        var request = URLRequest(url: base.appendingPathComponent(path), timeoutInterval: 30)
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "authorization")
        request.setValue("application/json", forHTTPHeaderField: "content-type")
        request.httpBody = Data(JSONWriter.text(body).utf8)
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await URLSession.shared.data(for: request)
        } catch {
            throw InputError(file: base.absoluteString, message: "does not answer: \(error.localizedDescription)")
        }
        var message = "the collector answered \((response as? HTTPURLResponse)?.statusCode ?? 0)"
        if case .object(let answer)? = try? JSONReader.value(of: Array(data)),
            case .object(let error)? = answer["error"],
            case .string(let text)? = error["message"]
        {
            message = text
        }
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, message)
    }
}
