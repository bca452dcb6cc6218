import Daybook
import DaybookApple
import RecipeBoxEvents
import SwiftUI

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

/// A recipe. Actions are logged in the model, where unit tests reach them; views and taps are logged by modifiers.
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
