import Daybook
import Foundation
import RecipeBoxEvents

/// What a user does with the app. Each record takes one line, where it happens.
struct Journeys: Sendable {
    let client: RecipeClient
    let app: AppLog
    let search: AppLog
    let cooking: AppLog
    let mistake: LaunchOptions.Mistake?

    init(api: URL, tally: Tally, mistake: LaunchOptions.Mistake? = nil) {
        self.mistake = mistake
        client = RecipeClient(base: api, log: AppLog("app.network", tally: tally))
        app = AppLog("app.lifecycle", tally: tally)
        search = AppLog("app.search", tally: tally)
        cooking = AppLog("app.cooking", tally: tally)
    }

    func launch(after crash: String? = nil) {
        if let crash { app.post(AppLifecycle.crashRecovered(crashReason: crash)) }
        app.info("App launched", ["cold": true])
        app.post(AppLifecycle.launch(cold: true, durationMs: 412, openedFrom: .icon))
    }

    /// Searches, opens the first result, and returns it.
    @discardableResult
    func searchAndShow(_ keyword: String) async throws -> Recipe? {
        if mistake != .noSearch {
            search.post(RecipeSearch.search(keyword: keyword, order: .latest, trigger: .keyboard))
        }
        let start = ContinuousClock.now
        let recipes = try await client.search(keyword)
        let elapsed = Int((ContinuousClock.now - start) / .milliseconds(1))
        guard let first = recipes.first else {
            search.post(RecipeSearch.noResults(keyword: keyword, suggestedKeyword: "egg"))
            return nil
        }
        search.post(RecipeSearch.showResult(keyword: keyword, resultCount: recipes.count, responseMs: elapsed))
        search.post(RecipeSearch.tapResult(recipeId: first.id, position: mistake == .positionFromOne ? 1 : 0))
        let recipe = try await client.recipe(first.id)
        for _ in 0..<(mistake == .showTwice ? 2 : 1) {
            app.post(RecipeDetail.show(recipeId: recipe.id, referrer: .search, cuisine: .japanese))
        }
        return recipe
    }

    func save(_ recipe: Recipe) async throws {
        try await client.save(recipe.id)
        app.post(RecipeDetail.save(recipeId: recipe.id, folderName: "たまご料理"))
    }

    /// The API fails, which makes three records: the request, the event and the error.
    func seeRecommendations() async {
        do {
            _ = try await client.recommendations()
        } catch {
            app.post(
                Network.apiError(path: "/recommendations", status: 500, errorCode: "internal", retryCount: 0))
            app.error(error)
        }
    }

    /// A measurement around a slow request, which becomes part of it.
    func loadWeeklyMenu() async throws {
        let menu = try await app.measure("load weekly menu") { try await client.weeklyMenu() }
        app.info("Weekly menu loaded", ["recipes": menu.count])
    }

    func startCooking(_ recipe: Recipe) {
        app.post(RecipeDetail.startCooking(recipeId: recipe.id, servings: 2, scale: 0.5))
        for step in 1...3 { cooking.info("Step \(step)", ["recipe_id": recipe.id, "step": step]) }
    }

    func share(_ recipe: Recipe) {
        let measurement = app.start("share")
        app.post(RecipeDetail.share(recipeId: recipe.id, destination: "com.example.mail"))
        app.end(measurement, ["destination": "com.example.mail"])
    }

    func changeSettings() {
        app.post(Settings.changeNotification(notification: .newRecipe, enabled: false))
        app.post(Settings.changeTextSize(size: 1))
        // Not defined yet: an event can be tried before it is agreed on.
        app.post("settings.change_theme", ["theme": "dark"])
    }
}
