import DaybookApple
import Testing

@Suite struct BannerTests {
    @Test func oneErrorIsShownAndGoes() {
        var queue = BannerQueue()
        #expect(queue.add("a") == [.show("a")])
        #expect(queue.timeIsUp() == [.hide])
        #expect(queue.timeIsUp().isEmpty)
        #expect(queue.add("a") == [.show("a")])
    }

    @Test func equalErrorsAreOneBannerWithACount() {
        var queue = BannerQueue()
        _ = queue.add("a")
        #expect(queue.add("a") == [.update("a (2×)")])
        #expect(queue.add("b").isEmpty)
        #expect(queue.add("b").isEmpty)
        #expect(queue.timeIsUp() == [.show("b (2×)")])
        #expect(queue.add("b") == [.update("b (3×)")])
    }

    @Test func floodEndsWithACountAndIsOver() {
        var queue = BannerQueue()
        for number in 0..<10_000 { _ = queue.add("error \(number)") }
        var shown: [String] = []
        for _ in 0..<20 {
            for case .show(let text) in queue.timeIsUp() { shown.append(text) }
        }
        #expect(shown == ["error 1", "error 2", "error 3", "and 9996 more"])
        #expect(queue.add("later") == [.show("later")])
    }
}
