extension Definitions {
    /// These definitions, with the categories, events and columns that only `old` has, as obsolete ones: a warehouse
    /// keeps them. Where a column's name has a type here, it has that type.
    func keeping(_ old: Definitions) -> Definitions {
        var result = self
        let types = Dictionary(
            (common + categories.flatMap { $0.columns + $0.events.flatMap(\.columns) }).map { ($0.name, $0.type) },
            uniquingKeysWith: { first, _ in first })
        let shared = Set(common.map(\.name))
        func kept(_ columns: [Column], beside present: [Column]) -> [Column] {
            let names = shared.union(present.map(\.name))
            return columns.filter { !names.contains($0.name) }.map { column in
                var column = column
                column.type = types[column.name] ?? column.type
                column.isObsolete = true
                return column
            }
        }
        result.common += kept(old.common, beside: result.common)
        for category in old.categories {
            guard let index = result.categories.firstIndex(where: { $0.name == category.name }) else {
                var gone = category
                gone.columns = kept(gone.columns, beside: [])
                for place in gone.events.indices {
                    gone.events[place].isObsolete = true
                    gone.events[place].columns = kept(gone.events[place].columns, beside: gone.columns)
                }
                result.categories.append(gone)
                continue
            }
            result.categories[index].columns += kept(category.columns, beside: result.categories[index].columns)
            for event in category.events {
                let shared = result.categories[index].columns
                if let place = result.categories[index].events.firstIndex(where: { $0.name == event.name }) {
                    let present = result.categories[index].events[place].columns
                    result.categories[index].events[place].columns += kept(event.columns, beside: shared + present)
                } else {
                    var gone = event
                    gone.isObsolete = true
                    gone.columns = kept(event.columns, beside: shared)
                    result.categories[index].events.append(gone)
                }
            }
        }
        return result
    }
}
