import DaybookHTTP
import Foundation

/// Answers with a handful of recipes; one address fails and one is slow, on purpose.
struct RecipeHandler: HTTPHandler {
    private struct Recipe: Codable {
        var id: Int
        var title: String
        var minutes: Int
    }

    private static let recipes = [
        Recipe(id: 1, title: "だし巻きたまご", minutes: 15),
        Recipe(id: 2, title: "Egg drop soup", minutes: 10),
        Recipe(id: 3, title: "Окрошка с яйцом", minutes: 30),
        Recipe(id: 4, title: "親子丼 Oyakodon with egg", minutes: 25),
        Recipe(id: 5, title: "Tomato salad", minutes: 5),
    ]

    func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 4096) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let parts = request.head.path.split(separator: "/").map(String.init)
        switch (request.head.method, parts.first, parts.count) {
        case ("GET", "recipes", 1):
            let text = request.head.parameter("q") ?? ""
            return json(Self.recipes.filter { $0.title.localizedCaseInsensitiveContains(text) })
        case ("GET", "recipes", 2):
            guard let recipe = Self.recipes.first(where: { String($0.id) == parts[1] }) else { return error(404) }
            return json(recipe)
        case ("POST", "recipes", 3) where parts[2] == "save":
            return HTTPResponse(status: 204)
        case ("GET", "recommendations", 1):
            return error(500)
        case ("GET", "weekly_menu", 1):
            try? await Task.sleep(for: .milliseconds(400))
            return json(Array(Self.recipes.prefix(3)))
        default:
            return error(404)
        }
    }

    private func json(_ value: some Encodable) -> HTTPResponse {
        guard let body = try? JSONEncoder().encode(value) else { return error(500) }
        return HTTPResponse(status: 200, headers: ["content-type": "application/json"], body: .bytes(Array(body)))
    }

    private func error(_ status: Int) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", text: #"{"error": "status \#(status)"}"#)
    }
}
