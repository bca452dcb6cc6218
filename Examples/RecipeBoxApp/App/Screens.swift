import Daybook
import DaybookApple
import RecipeBoxEvents
import SwiftUI

/// Searches recipes.
struct SearchView: View {
    @State private var model = SearchModel()

    var body: some View {
        NavigationStack(path: $model.path) {
            List(model.found, id: \.id) { recipe in
                Button(recipe.title) { model.open(recipe) }
            }
            .searchable(text: $model.keyword, placement: .navigationBarDrawer(displayMode: .always))
            .onSubmit(of: .search) { model.search() }
            .navigationTitle("Recipes")
            .navigationDestination(for: Recipe.self) { recipe in RecipeView(model: RecipeModel(recipe)) }
        }
    }
}

/// A recipe. What its buttons do is in the model, where a unit test reaches it; what is only seen and tapped is logged by
/// modifiers.
struct RecipeView: View {
    let model: RecipeModel

    var body: some View {
        VStack {
            Text(model.recipe.title)
            Button("Save") { model.save() }
            Button("Start cooking") { model.cook() }
            Button("Share") {}
                .logs(onTap: RecipeDetail.share(recipeId: model.recipe.id, destination: nil))
        }
        .navigationTitle(model.recipe.title)
        .logs(onAppear: RecipeDetail.show(recipeId: model.recipe.id, referrer: .search, cuisine: .other))
    }
}
