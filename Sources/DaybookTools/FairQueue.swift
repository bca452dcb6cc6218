/// A fair queue: first in, first out per name, with names taking turns (pure).
package struct FairQueue<Name: Hashable, Element> {
    private var waiting: [Name: [Element]] = [:]
    /// Names with waiting elements, the next one first.
    private var order: [Name] = []
    package private(set) var count = 0

    package init() {}

    /// Waiting elements of a name.
    package func count(for name: Name) -> Int { waiting[name]?.count ?? 0 }

    package mutating func add(_ element: Element, for name: Name) {
        if waiting[name] == nil { order.append(name) }
        waiting[name, default: []].append(element)
        count += 1
    }

    /// - Parameter isReady: whether a name may have its turn. Default: always.
    package mutating func takeNext(where isReady: (Name) -> Bool = { _ in true }) -> Element? {
        guard let place = order.firstIndex(where: isReady) else { return nil }
        let name = order.remove(at: place)
        let element = waiting[name]?.removeFirst()
        count -= 1
        if waiting[name]?.isEmpty == false { order.append(name) } else { waiting[name] = nil }
        return element
    }

    /// Removes the first element that meets a condition, regardless of turns.
    package mutating func remove(where condition: (Element) -> Bool) -> Element? {
        for name in order {
            guard let place = waiting[name]?.firstIndex(where: condition) else { continue }
            count -= 1
            defer {
                if waiting[name]?.isEmpty == true {
                    waiting[name] = nil
                    order.removeAll { $0 == name }
                }
            }
            return waiting[name]?.remove(at: place)
        }
        return nil
    }
}
