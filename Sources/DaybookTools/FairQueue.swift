/// What waits, in the order of its arrival for each name, the names in turn (pure).
package struct FairQueue<Name: Hashable, Element> {
    private var waiting: [Name: [Element]] = [:]
    /// The names of which something waits, the next one first.
    private var order: [Name] = []
    /// How much waits.
    package private(set) var count = 0

    package init() {}

    /// How much waits for a name.
    package func count(for name: Name) -> Int { waiting[name]?.count ?? 0 }

    package mutating func add(_ element: Element, for name: Name) {
        if waiting[name] == nil { order.append(name) }
        waiting[name, default: []].append(element)
        count += 1
    }

    /// - Parameter isReady: whether a name may have a turn. Default: each may.
    package mutating func takeNext(where isReady: (Name) -> Bool = { _ in true }) -> Element? {
        guard let place = order.firstIndex(where: isReady) else { return nil }
        let name = order.remove(at: place)
        let element = waiting[name]?.removeFirst()
        count -= 1
        if waiting[name]?.isEmpty == false { order.append(name) } else { waiting[name] = nil }
        return element
    }

    /// Takes out the first that meets a condition, whoever's turn it is.
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
