import Testing

@testable import DaybookDefinitions

struct SwiftNameTests {
    // The expected names come from the inflector that the original's scripts use.
    @Test(
        "Swift names equal those of the original",
        arguments: [
            ("recipe_search", "RecipeSearch", "recipeSearch"), ("tap_url_2", "TapUrl2", "tapUrl2"),
            ("show_URL", "ShowUrl", "showUrl"), ("showURL", "ShowURL", "showURL"), ("URL_x", "URLX", "uRLX"),
            ("foo__bar", "FooBar", "fooBar"), ("foo_", "Foo", "foo"), ("tap_2nd", "Tap2nd", "tap2nd"), ("x", "X", "x"),
        ])
    func namesMatchOriginal(name: String, type: String, member: String) {
        #expect(SwiftName.type(name) == type)
        #expect(SwiftName.member(name) == member)
    }

    @Test(
        "Any declared value becomes an identifier",
        arguments: [
            ("latest", "latest"), ("1st", "_1st"), ("a/b c", "aBC"), ("人気順", "人気順"), ("in", "in"), ("-", "value"),
            ("ja-JP", "jaJp"), ("Новый_рецепт", "новыйРецепт"),
        ])
    func valueBecomesIdentifier(value: String, name: String) { #expect(SwiftName.value(value) == name) }

    @Test("Swift keywords are escaped in names") func escapesKeywords() {
        #expect(SwiftName.escaped("in") == "`in`")
        #expect(SwiftName.escaped("keyword") == "keyword")
        #expect(SwiftName.local("in") == "in_")
        #expect(SwiftName.local("fields") == "fields_")
    }
}
