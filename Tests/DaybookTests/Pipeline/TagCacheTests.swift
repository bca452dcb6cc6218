import DaybookBase
import Testing

@testable import Daybook

struct TagCacheTests {
    @Test("A tag is computed once and remembered") func computesTagOnce() {
        let cache = TagCache()
        let computed = Mutex(0)
        for _ in 0..<10 {
            let routing = cache.find("feed.show", .info) {
                computed.withLock { $0 += 1 }
                return Routing(mask: RouteMask(output: 3), chain: 9)
            }.routing
            #expect(routing == Routing(mask: RouteMask(output: 3), chain: 9))
        }
        #expect(computed.withLock { $0 } == 1)
    }

    @Test("More tags than slots still get their own answers") func overflowKeepsAnswers() {
        let cache = TagCache()
        for _ in 0..<2 {
            for number in 0..<6000 {
                let expected = Routing(
                    mask: RouteMask(output: number % RouteMask.maximumOutputs), chain: UInt8(number % 256))
                let routing = cache.find("tag.\(number)", .info) { expected }.routing
                #expect(routing == expected)
            }
        }
    }

    @Test("Levels of one tag have separate entries") func levelsKeptApart() {
        let cache = TagCache()
        for (index, level) in Level.allCases.enumerated() {
            _ = cache.find("a.long.tag.with.many.words", level) { Routing(mask: RouteMask(output: index)) }
        }
        for (index, level) in Level.allCases.enumerated() {
            let routing = cache.find("a.long.tag.with.many.words", level) { Routing(mask: .none) }.routing
            #expect(routing == Routing(mask: RouteMask(output: index)))
        }
    }

    @Test("Tags that differ in one character have separate entries", arguments: [1, 7, 8, 15, 16, 23, 24, 25, 40])
    func similarTagsKeptApart(length: Int) {
        let cache = TagCache()
        let tags = (0..<length).map { place in
            String((0..<length).map { $0 == place ? "b" : "a" })
        }
        for _ in 0..<2 {
            for (number, tag) in tags.enumerated() {
                let expected = Routing(mask: RouteMask(output: number % RouteMask.maximumOutputs))
                let known = cache.find(tag, .info) { expected }.routing
                #expect(known == expected)
            }
        }
    }

    @Test("A cached tag holds the constant start of its records") func knowsConstantPart() {
        let cache = TagCache()
        let descriptor = EventDescriptor("feed.show", level: .warning)
        let answer = cache.find("feed.show", .warning) { Routing(mask: .none) }
        let (constants, expected) = (answer.constants, descriptor.constants)
        #expect(
            UnsafeRawBufferPointer(start: constants.bytes, count: constants.count)
                .elementsEqual(UnsafeRawBufferPointer(start: expected.bytes, count: expected.count)))
        withExtendedLifetime(answer.owner) {}
    }
}
