import DaybookBase
import Testing

struct CollectionTests {
    @Test("Sorting keeps the order of equal elements") func sortIsStable() {
        #expect([Int]().ordered(by: <) == [])
        #expect(["b", "a", "", "c"].ordered() == ["", "a", "b", "c"])
        #expect([5, 6, 7, 1, 2, 3].ordered(by: <) == [1, 2, 3, 5, 6, 7])
        var random = SystemRandomNumberGenerator()
        for count in 0..<70 {
            let pairs = (0..<count).map { (key: Int.random(in: 0..<9, using: &random), place: $0) }
            let ordered = pairs.ordered { $0.key < $1.key }
            let expected = pairs.sorted { ($0.key, $0.place) < ($1.key, $1.place) }
            #expect(ordered.map(\.place) == expected.map(\.place))
        }
    }

    private struct Flags: BitSet {
        let rawValue: UInt8
        static let a = Flags(rawValue: 1)
        static let b = Flags(rawValue: 2)
    }

    @Test("Flags support the operations of sets") func flagsAreSets() {
        var flags = Flags.none
        #expect(flags.isEmpty && !flags.contains(.a) && flags.isSubset(of: .b))
        flags.insert(.a)
        #expect(flags == .a && flags.union(.b).contains(.a) && !flags.contains(.a.union(.b)))
        #expect(flags.isDisjoint(with: .b) && !flags.isDisjoint(with: .a.union(.b)))
        #expect(flags.union(.b).intersection(.b) == .b && flags.union(.b).subtracting(.a) == .b)
        flags.remove(.a)
        #expect(flags.isEmpty)
    }
}
