import DaybookInspector
import DaybookProcesses
import Foundation
import RecipeBoxDictionary
import Testing

/// Internal text is only in builds with the inspector.
@Suite struct DictionaryTests {
    @Test("The dictionary has the definitions, checklists and links that the team wrote")
    func dictionaryIsComplete() throws {
        let dictionary = LogDictionary.project
        #expect(dictionary.problems == [])
        #expect(dictionary.definitions.categories.map(\.name).contains("recipe_search"))
        #expect(dictionary.checklists.count == 1)
        #expect(dictionary.links.event.map(\.title) == ["Find in code"])
    }

    /// From the descriptions in `recipe_search.md` and the checklist.
    @Test("Prose is in the dictionary and not in the app", arguments: ["ユーザーが検索を実行したとき", "検索結果が0件のとき"])
    func proseIsNotInApp(prose: String) throws {
        let app = try Data(contentsOf: BuiltProduct.url("RecipeBox"), options: .alwaysMapped)
        let dictionary = try Data(contentsOf: BuiltProduct.url("RecipeBoxDictionary.build/LogDictionary.swift.o"))
        #expect(dictionary.range(of: Data(prose.utf8)) != nil)
        #expect(app.range(of: Data(prose.utf8)) == nil)
        // The names are there, so the search works.
        #expect(app.range(of: Data("recipe_search".utf8)) != nil)
    }
}
