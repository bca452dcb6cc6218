import Synchronization
import Testing

@testable import Daybook

struct TagCacheTests {
    @Test func aTagIsComputedOnceAndRemembered() {
        let cache = TagCache()
        let computed = Mutex(0)
        for _ in 0..<10 {
            let mask = cache.routes(tag: "feed.show", level: .info) {
                computed.withLock { $0 += 1 }
                return RouteMask(output: 3)
            }
            #expect(mask == RouteMask(output: 3))
        }
        #expect(computed.withLock { $0 } == 1)
    }

    @Test func moreTagsThanSlotsKeepTheirOwnAnswers() {
        let cache = TagCache()
        for _ in 0..<2 {
            for number in 0..<6000 {
                let expected = RouteMask(output: number % RouteMask.maximumOutputs)
                #expect(cache.routes(tag: "tag.\(number)", level: .info) { expected } == expected)
            }
        }
    }

    @Test func levelsOfOneTagAreApart() {
        let cache = TagCache()
        for (index, level) in Level.allCases.enumerated() {
            _ = cache.routes(tag: "a.long.tag.with.many.words", level: level) { RouteMask(output: index) }
        }
        for (index, level) in Level.allCases.enumerated() {
            let mask = cache.routes(tag: "a.long.tag.with.many.words", level: level) { [] }
            #expect(mask == RouteMask(output: index))
        }
    }
}
