import DaybookApple
import Testing

@Suite struct BannerTests {
    @Test("An error is shown and then disappears") func errorAppearsAndGoes() {
        var queue = BannerQueue()
        #expect(queue.add("a") == [.show("a")])
        #expect(queue.timeIsUp() == [.hide])
        #expect(queue.timeIsUp().isEmpty)
        #expect(queue.add("a") == [.show("a")])
    }

    @Test("Equal errors share one banner with a count") func equalErrorsAreCounted() {
        var queue = BannerQueue()
        _ = queue.add("a")
        #expect(queue.add("a") == [.update("a (2×)")])
        #expect(queue.add("b").isEmpty)
        #expect(queue.add("b").isEmpty)
        #expect(queue.timeIsUp() == [.show("b (2×)")])
        #expect(queue.add("b") == [.update("b (3×)")])
    }

    @Test("A flood of errors ends with a count") func floodEndsWithCount() {
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
