import Daybook
import DaybookApple
import SwiftUI

/// The recipe app, for Xcode: three files, and the definitions of `Examples/RecipeBox`.
@main
struct RecipeBoxApp: App {
    init() {
        _ = AppLog.shared
        Log("app.lifecycle").post(AppLifecycle.launch(cold: true, durationMs: 0, openedFrom: .icon))
    }

    var body: some Scene {
        WindowGroup { SearchView() }
    }
}

/// Searches recipes, and logs what its user does: one line where it happens.
struct SearchView: View {
    private static let recipes = ["Egg salad", "Okroshka", "Oyakodon", "Tamago sando"]

    @State private var keyword = ""
    private let log = Log("app.search")

    var body: some View {
        NavigationStack {
            List(found, id: \.self) { recipe in
                Button(recipe) { show(recipe) }
            }
            .searchable(text: $keyword)
            .onSubmit(of: .search) { search() }
            .navigationTitle("Recipes")
        }
    }

    private var found: [String] {
        keyword.isEmpty ? Self.recipes : Self.recipes.filter { $0.localizedCaseInsensitiveContains(keyword) }
    }

    private func search() {
        log.post(RecipeSearch.search(keyword: keyword, order: .latest, trigger: .keyboard))
        log.post(RecipeSearch.showResult(keyword: keyword, resultCount: found.count, responseMs: 0))
    }

    private func show(_ recipe: String) {
        let id = Int64(Self.recipes.firstIndex(of: recipe) ?? 0)
        log.post(RecipeDetail.show(recipeId: id, referrer: .search, cuisine: .japanese))
    }
}
