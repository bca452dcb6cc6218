import DaybookBase
import DaybookTestTraits
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCLI

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The errors of everything that `daybook serve` answers.
@Suite(.timeLimit(.minutes(5)), .temporaryDirectory) struct ErrorShapeTests {
    private let tool = Tool()

    private struct Answer {
        var status: Int
        var object: [String: Value]
    }

    /// Serves an empty store and sends a request, with the token if `isAllowed`.
    private func answer(_ method: String, _ path: String, isAllowed: Bool = true) async throws -> Answer {
        var arguments = Arguments()
        arguments.values = ServeConfiguration.defaults
        arguments.values["port"] = ["0"]
        arguments.values["store"] = [tool.directory.appending(path: "store.sqlite").path]
        let service = try await Service(ServeConfiguration(arguments), tell: { _ in })
        let parts = try service.start().split(separator: "#token=")
        var request = URLRequest(url: try #require(URL(string: parts[0].dropLast() + path)))
        request.httpMethod = method
        if isAllowed { request.setValue("Bearer \(parts[1])", forHTTPHeaderField: "Authorization") }
        if method == "POST" { request.httpBody = Data("x".utf8) }
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: request)
        await service.stop()
        return Answer(
            status: try #require(response as? HTTPURLResponse).statusCode,
            object: try #require(try JSONReader.value(of: Array(data)).members))
    }

    @Test(
        "All errors of JSON routes have one shape",
        arguments: [
            ("GET", "/nothing", true, 404, "not_found"), ("DELETE", "/", true, 405, "method_not_allowed"),
            ("GET", "/api/v1/records", false, 401, "unauthorized"),
            ("GET", "/api/v1/records?limit=0", true, 400, "bad_request"),
            ("POST", "/api/v1/sql", true, 400, "bad_request"), ("GET", "/api/v1/records/9", true, 404, "not_found"),
            ("POST", "/api/v1/status", true, 405, "method_not_allowed"),
        ] as [(String, String, Bool, Int, String)])
    func jsonErrorsShareShape(
        method: String, path: String, isAllowed: Bool, status: Int, code: String
    ) async throws {
        let answer = try await answer(method, path, isAllowed: isAllowed)
        #expect(answer.status == status)
        #expect(Set(answer.object.keys) == ["ok", "error"])
        #expect(answer.object["ok"] == false)
        let error = try #require(answer.object["error"].members)
        #expect(Set(error.keys) == ["code", "message"])
        #expect(error["code"].text == code)
    }

    @Test(
        "Ingest errors are RPC statuses",
        arguments: [("POST", "/v1/logs", 415), ("GET", "/v1/traces", 405), ("POST", "/v1/metrics", 404)]
            as [(String, String, Int)])
    func ingestErrorsAreStatuses(method: String, path: String, status: Int) async throws {
        let answer = try await answer(method, path)
        #expect(answer.status == status)
        #expect(Set(answer.object.keys) == ["code", "message"])
        #expect(answer.object["code"].int != nil)
    }
}
