import Daybook
import Foundation
import RecipeBoxEvents

struct Recipe: Hashable, Identifiable {
    var id: Int64
    var title: String

    static let all = ["Egg salad", "Okroshka", "Oyakodon", "Tamago sando"].enumerated()
        .map { Recipe(id: Int64($0.offset), title: $0.element) }
}

/// What the search screen does, apart from its looks. Each record takes one line, where it happens. Tests pass a
/// recorder's log.
struct SearchModel {
    var keyword = ""
    /// The screens above the search.
    var path: [Recipe] = []
    private let log: Log

    init(log: Log = Log("app.search")) { self.log = log }

    var found: [Recipe] {
        keyword.isEmpty ? Recipe.all : Recipe.all.filter { $0.title.localizedCaseInsensitiveContains(keyword) }
    }

    func search() {
        log.post(RecipeSearch.search(keyword: keyword, order: .latest, trigger: .keyboard))
        if found.isEmpty {
            log.post(RecipeSearch.noResults(keyword: keyword))
        } else {
            log.post(RecipeSearch.showResult(keyword: keyword, resultCount: found.count, responseMs: 0))
        }
    }

    mutating func open(_ recipe: Recipe) {
        log.post(
            RecipeSearch.tapResult(recipeId: recipe.id, position: Int16(clamping: found.firstIndex(of: recipe) ?? 0)))
        path.append(recipe)
    }
}

/// What the recipe screen does.
struct RecipeModel {
    let recipe: Recipe
    private let log: Log

    init(_ recipe: Recipe, log: Log = Log("app.recipe")) {
        self.recipe = recipe
        self.log = log
    }

    func save() { log.post(RecipeDetail.save(recipeId: recipe.id)) }

    func cook() { log.post(RecipeDetail.startCooking(recipeId: recipe.id, servings: 2)) }
}
