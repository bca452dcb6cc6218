import Daybook
import Testing

struct FromSourceTests {
    private func passes(_ filter: FromSource, _ file: String?) -> Bool {
        var record = Record(time: 0, kind: .message, level: .info, tag: "app")
        record.file = file
        var isKept = false
        filter.filter(record, captured: nil) { _ in isKept = true }
        return isKept
    }

    @Test(
        "Only records from the named modules and files pass",
        arguments: [
            ("Menu/Loader.swift", true), ("Menu/Other.swift", true), ("Cart/CartView.swift", true),
            ("Cart/Loader.swift", false), ("Cart/Sum.swift", true), ("Sum.swift", true), ("MenuKit/A.swift", false),
        ])
    func namedSourcesPass(_ file: String, _ isKept: Bool) {
        #expect(passes(FromSource(only: "Menu", "Cart/CartView.swift", "Sum.swift"), file) == isKept)
        #expect(passes(FromSource(except: "Menu", "Cart/CartView.swift", "Sum.swift"), file) != isKept)
    }

    @Test("Records without a source pass only where that is asked for") func unplacedPassOnRequest() {
        #expect(!passes(FromSource(only: "Menu"), nil))
        #expect(passes(FromSource(only: "Menu", keepsUnplaced: true), nil))
        #expect(passes(FromSource(except: "Menu"), nil))
    }
}
