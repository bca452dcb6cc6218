import Daybook
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Recipe: Codable, Sendable {
    var id: Int64
    var title: String
    var minutes: Int
}

/// Talks to the recipe API. The line that sends a request also records it.
struct RecipeClient: Sendable {
    let base: URL
    let log: AppLog

    func search(_ text: String) async throws -> [Recipe] {
        try await get("recipes", query: [URLQueryItem(name: "q", value: text)])
    }

    func recipe(_ id: Int64) async throws -> Recipe {
        try await get("recipes/\(id)")
    }

    func save(_ id: Int64) async throws {
        _ = try await send("recipes/\(id)/save", method: "POST")
    }

    /// Fails with status 500.
    func recommendations() async throws -> [Recipe] {
        try await get("recommendations")
    }

    /// Slow.
    func weeklyMenu() async throws -> [Recipe] {
        try await get("weekly_menu")
    }

    private func get<Answer: Decodable>(_ path: String, query: [URLQueryItem] = []) async throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: try await send(path, method: "GET", query: query))
    }

    private func send(_ path: String, method: String, query: [URLQueryItem] = []) async throws -> Data {
        var url = base.appendingPathComponent(path)
        if !query.isEmpty { url.append(queryItems: query) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        let (data, response) = try await log.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { throw RecipeAPIError(path: path, status: status) }
        return data
    }
}

/// An unexpected answer. Its details belong in the error, so that every log of it has them.
struct RecipeAPIError: LocalizedError, CustomNSError, LeveledError {
    var path: String
    var status: Int

    var errorDescription: String? { "The recipe API answered \(status)" }
    var logLevel: Level { status >= 500 ? .error : .warning }
    static var errorDomain: String { "RecipeAPI" }
    var errorCode: Int { status }
    var errorUserInfo: [String: Any] { ["path": path] }
}
