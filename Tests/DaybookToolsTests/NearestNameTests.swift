import DaybookBase
import DaybookTools
import Testing

struct NearestNameTests {
    @Test(arguments: [
        ("feed.tap_artcle", "feed.tap_article"), ("feed.taparticle", "feed.tap_article"),
        ("FEED.Show_Artcle", "feed.show_article"), ("exprot", "export"), ("integr", "integer"),
    ])
    func mistypedNameFindsTheOneThatWasMeant(name: String, meant: String) {
        let names = ["feed.tap_article", "feed.show_article", "export", "import", "integer"]
        #expect(NearestName.of(name, among: names) == meant)
        #expect(NearestName.isNear(name, meant))
    }

    @Test(arguments: ["feed.hide_article", "article", "", "x", String(repeating: "a", count: 200)])
    func otherNamesFindNone(name: String) {
        #expect(NearestName.of(name, among: ["feed.tap_article", "feed.show_article", "export"]) == nil)
    }

    @Test(arguments: [
        ("feed_show", ["feed__show", "feed__then_show", "feed__show_article"]),
        ("feed__shwo", ["feed__show"]), ("records_show_article", []), ("", []), ("show", ["feed__show"]),
    ])
    func severalNamesAreTheNearestAndThoseWithItsWords(name: String, meant: [String]) {
        let names = ["feed__then_show", "feed__show_article", "feed__show", "feed__show_article_again", "records"]
        #expect(NearestName.several(name, among: names).prefix(max(meant.count, 1)).elementsEqual(meant))
    }

    @Test func nameItselfIsNoMisspelling() {
        #expect(NearestName.of("feed.tap", among: ["feed.tap", "feed.tab"]) == "feed.tab")
    }

    @Test func earlierOfTwoEquallyNearNamesIsTaken() {
        #expect(NearestName.of("cat", among: ["car", "can"]) == "car")
    }
}
