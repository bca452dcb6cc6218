import DaybookBase
import DaybookTools
import Testing

struct NearestNameTests {
    @Test(
        "A mistyped name finds the one that was meant",
        arguments: [
            ("feed.tap_artcle", "feed.tap_article"), ("feed.taparticle", "feed.tap_article"),
            ("FEED.Show_Artcle", "feed.show_article"), ("exprot", "export"), ("integr", "integer"),
        ])
    func findsIntendedName(name: String, meant: String) {
        let names = ["feed.tap_article", "feed.show_article", "export", "import", "integer"]
        #expect(NearestName.of(name, among: names) == meant)
        #expect(NearestName.isNear(name, meant))
    }

    @Test(
        "A name unlike all others gets no suggestion",
        arguments: ["feed.hide_article", "article", "", "x", String(repeating: "a", count: 200)])
    func findsNoFarName(name: String) {
        #expect(NearestName.of(name, among: ["feed.tap_article", "feed.show_article", "export"]) == nil)
    }

    @Test(
        "Several names are listed: the nearest, then those with its words",
        arguments: [
            ("feed_show", ["feed__show", "feed__then_show", "feed__show_article"]),
            ("feed__shwo", ["feed__show"]), ("records_show_article", []), ("", []), ("show", ["feed__show"]),
        ])
    func listsNearNames(name: String, meant: [String]) {
        let names = ["feed__then_show", "feed__show_article", "feed__show", "feed__show_article_again", "records"]
        #expect(NearestName.several(name, among: names).prefix(max(meant.count, 1)).elementsEqual(meant))
    }

    @Test("A name is not suggested for itself") func exactNameIsSkipped() {
        #expect(NearestName.of("feed.tap", among: ["feed.tap", "feed.tab"]) == "feed.tab")
    }

    @Test("The first of two equally near names is taken") func firstNearNameWins() {
        #expect(NearestName.of("cat", among: ["car", "can"]) == "car")
    }
}
