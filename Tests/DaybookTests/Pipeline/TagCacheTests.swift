import Synchronization
import Testing

@testable import Daybook

struct TagCacheTests {
    @Test func aTagIsComputedOnceAndRemembered() {
        let cache = TagCache()
        let computed = Mutex(0)
        for _ in 0..<10 {
            let routing = cache.routing(tag: "feed.show", level: .info) {
                computed.withLock { $0 += 1 }
                return Routing(mask: RouteMask(output: 3), chain: 9)
            }
            #expect(routing == Routing(mask: RouteMask(output: 3), chain: 9))
        }
        #expect(computed.withLock { $0 } == 1)
    }

    @Test func moreTagsThanSlotsKeepTheirOwnAnswers() {
        let cache = TagCache()
        for _ in 0..<2 {
            for number in 0..<6000 {
                let expected = Routing(
                    mask: RouteMask(output: number % RouteMask.maximumOutputs), chain: UInt8(number % 256))
                #expect(cache.routing(tag: "tag.\(number)", level: .info) { expected } == expected)
            }
        }
    }

    @Test func levelsOfOneTagAreApart() {
        let cache = TagCache()
        for (index, level) in Level.allCases.enumerated() {
            _ = cache.routing(tag: "a.long.tag.with.many.words", level: level) {
                Routing(mask: RouteMask(output: index))
            }
        }
        for (index, level) in Level.allCases.enumerated() {
            let routing = cache.routing(tag: "a.long.tag.with.many.words", level: level) { Routing(mask: []) }
            #expect(routing == Routing(mask: RouteMask(output: index)))
        }
    }
}
