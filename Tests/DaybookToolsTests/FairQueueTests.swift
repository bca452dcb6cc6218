import Testing

@testable import DaybookTools

@Suite struct FairQueueTests {
    @Test("Removing entries keeps the turns of names and the order of each", arguments: 1...20) func removalKeepsTurns(
        seed: Int
    ) {
        var queue = FairQueue<Int, (name: Int, number: Int)>()
        var left: [Int: [Int]] = [:]
        var state = seed
        func random(_ limit: Int) -> Int {
            state = (state &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
            return (state >> 8) % limit
        }
        for number in 0..<200 {
            switch random(3) {
            case 0:
                let wanted = random(number + 1)
                let removed = queue.remove { $0.number == wanted }
                let name = left.first { $0.value.contains(wanted) }?.key
                #expect(removed?.name == name)
                if let name { left[name]?.removeAll { $0 == wanted } }
            case 1 where number % 5 == 0:
                let next = queue.takeNext()
                #expect(next == nil || left[next?.name ?? 0]?.first == next?.number)
                if let next { left[next.name]?.removeFirst() }
            default:
                let name = random(4)
                queue.add((name, number), for: name)
                left[name, default: []].append(number)
            }
            #expect(queue.count == left.values.reduce(0) { $0 + $1.count })
            for name in 0..<4 { #expect(queue.count(for: name) == left[name]?.count ?? 0) }
        }
        var names: [Int] = []
        while let next = queue.takeNext() {
            #expect(left[next.name]?.removeFirst() == next.number)
            names.append(next.name)
        }
        // No name has two turns while another waits for its first.
        #expect(Set(names.prefix(Set(names).count)).count == Set(names).count)
        #expect(queue.count == 0)
    }
}
