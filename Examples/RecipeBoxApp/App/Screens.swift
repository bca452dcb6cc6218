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

/// A recipe.
struct RecipeView: View {
    let model: RecipeModel

    var body: some View {
        VStack {
            Text(model.recipe.title)
            Button("Save") { model.save() }
            Button("Start cooking") { model.cook() }
        }
        .navigationTitle(model.recipe.title)
        .onAppear { model.appear() }
    }
}
