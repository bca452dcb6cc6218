import DaybookBase
import DaybookTools

/// Compares the columns of an event, a category, or all events.
struct ColumnDiff {
    let subject: String
    /// Whether both versions can be logged.
    var isCalled = true

    func changes(from old: [Column], to new: [Column]) -> [DefinitionsChange] {
        let before = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let names = Set(new.map(\.name))
        var changes: [DefinitionsChange] = []
        for column in new {
            if let was = before[column.name] {
                changes += compare(was, column)
            } else {
                // No caller can have passed a new column; a required one must be passed from now on.
                let isMissing = !column.isOptional && !column.isObsolete
                changes.append(
                    change(
                        .columnAdded, column, to: spelled(column), breaks: isMissing ? [.callers] : [], migrates: true))
            }
        }
        for column in old where !names.contains(column.name) {
            let breaks: Set<DefinitionsChange.Audience> = column.isObsolete ? [.callers] : [.callers, .consumers]
            changes.append(change(.columnRemoved, column, from: spelled(column), breaks: breaks))
        }
        return hinted(changes, old, new) + reordered(old, new)
    }

    /// The changes, with possible renames noted.
    private func hinted(_ changes: [DefinitionsChange], _ old: [Column], _ new: [Column]) -> [DefinitionsChange] {
        let (before, after) = (Set(old.map(\.name)), Set(new.map(\.name)))
        let removed = old.enumerated().filter { !after.contains($1.name) }.map { (index: $0, column: $1) }
        let added = new.enumerated().filter { !before.contains($1.name) }.map { (index: $0, column: $1) }
        var changes = changes
        for pair in Renames.columns(removed, added) {
            let (was, becomes) = (removed[pair.removed].column.name, added[pair.added].column.name)
            for index in changes.indices {
                switch (changes[index].kind, changes[index].column) {
                case (.columnRemoved, was): changes[index].renamed = becomes
                case (.columnAdded, becomes): changes[index].renamed = was
                default: break
                }
            }
        }
        return changes
    }

    /// Labels follow the columns' order, and calls in another order do not compile.
    private func reordered(_ old: [Column], _ new: [Column]) -> [DefinitionsChange] {
        let shared = Set(old.map(\.name)).intersection(new.map(\.name))
        func order(_ columns: [Column]) -> [String] {
            columns.filter { !$0.isObsolete && shared.contains($0.name) }.map(\.name)
        }
        let (first, second) = (order(old), order(new))
        guard first != second, first.sorted() == second.sorted() else { return [] }
        return [
            DefinitionsChange(
                .columnsReordered, of: subject, from: first.joined(separator: ", "), to: second.joined(separator: ", "),
                breaks: called([.callers]))
        ]
    }

    private func compare(_ old: Column, _ new: Column) -> [DefinitionsChange] {
        var changes: [DefinitionsChange] = []
        let (was, becomes) = (WarehouseType(old), WarehouseType(new))
        if old.type.name != new.type.name || old.type.isCustom != new.type.isCustom {
            let isWider = becomes.holdsEverything(of: was)
            changes.append(
                change(
                    .type, new, from: old.type.source, to: new.type.source,
                    breaks: isWider ? [.callers] : [.callers, .warehouse, .consumers], migrates: true))
        } else if old.type.limit != new.type.limit {
            // Texts that used to be complete are truncated, so they no longer equal earlier ones.
            let isNarrower = (new.type.limit ?? .max) < (old.type.limit ?? .max)
            changes.append(
                change(
                    .limit, new, from: old.type.source, to: new.type.source, breaks: isNarrower ? [.consumers] : [],
                    migrates: !isNarrower))
        }
        if old.isOptional != new.isOptional {
            changes.append(
                change(
                    .optionality, new, from: old.isOptional ? "optional" : "required",
                    to: new.isOptional ? "optional" : "required",
                    breaks: new.isObsolete ? [] : new.isOptional ? [.consumers] : [.callers]))
        }
        if old.isObsolete != new.isObsolete {
            // An obsolete column is still accepted, with a warning; a revived one must be passed.
            let breaks: Set<DefinitionsChange.Audience> =
                new.isObsolete ? [.consumers] : new.isOptional ? [] : [.callers]
            changes.append(
                change(
                    .obsolete, new, from: old.isObsolete ? "obsolete" : "in use",
                    to: new.isObsolete ? "obsolete" : "in use", breaks: breaks))
        }
        if old.classification != new.classification {
            // Hashing of the values begins or ends.
            let isHashed = old.classification == .sensitive || new.classification == .sensitive
            let breaks: Set<DefinitionsChange.Audience> =
                !isHashed ? [] : was.isText && becomes.isText ? [.consumers] : [.consumers, .warehouse]
            changes.append(
                change(
                    .classification, new, from: old.classification.rawValue, to: new.classification.rawValue,
                    breaks: breaks, migrates: isHashed))
        }
        changes += values(old, new)
        if old.notes != new.notes || descriptions(old, new) {
            changes.append(
                change(
                    .description, new, from: old.notes.joined(separator: "; "), to: new.notes.joined(separator: "; ")))
        }
        return changes
    }

    private func values(_ old: Column, _ new: Column) -> [DefinitionsChange] {
        let (before, after) = (old.values.map(\.value), new.values.map(\.value))
        // The first value generates an enum in place of the team's own type; removing the last removes it.
        let isDeclared = before.isEmpty != after.isEmpty
        let added = after.filter { !before.contains($0) }.map {
            change(.valueAdded, new, to: $0, breaks: isDeclared ? [.callers] : [])
        }
        let removed = before.filter { !after.contains($0) }.map {
            change(.valueRemoved, new, from: $0, breaks: isDeclared ? [.callers] : [.callers, .consumers])
        }
        return added + removed
    }

    private func descriptions(_ old: Column, _ new: Column) -> Bool {
        new.values.contains { value in
            old.values.contains { $0.value == value.value && $0.description != value.description }
        }
    }

    private func change(
        _ kind: DefinitionsChange.Kind, _ column: Column, from before: String? = nil, to after: String? = nil,
        breaks: Set<DefinitionsChange.Audience> = [], migrates: Bool = false
    ) -> DefinitionsChange {
        DefinitionsChange(
            kind, of: subject, column: column.name, from: before, to: after, breaks: called(breaks), migrates: migrates)
    }

    private func called(_ breaks: Set<DefinitionsChange.Audience>) -> Set<DefinitionsChange.Audience> {
        isCalled ? breaks : breaks.subtracting([.callers])
    }

    private func spelled(_ column: Column) -> String {
        var parts = column.type.source.split(separator: " ", maxSplits: 1).map(String.init)
        if column.isOptional { parts[0] += "?" }
        if column.classification != .plain { parts.append("[\(column.classification.rawValue)]") }
        if column.isObsolete { parts.insert("[obsolete]", at: 0) }
        return parts.joined(separator: " ")
    }
}

/// Pairs removed and added items that may be renames. A guess: both remain changes with their breakage.
enum Renames {
    /// Nobody reads larger diffs.
    private static let mostPairs = 200_000

    /// Columns of one type with similar names, equal descriptions, or the same position.
    ///
    /// - Returns: Indices of `removed` and `added`, each in at most one pair.
    static func columns(
        _ removed: [(index: Int, column: Column)], _ added: [(index: Int, column: Column)]
    ) -> [(removed: Int, added: Int)] {
        pairs(removed, added) { old, new in
            guard old.column.type == new.column.type else { return nil }
            let isNear = NearestName.isNear(old.column.name, new.column.name)
            let saysTheSame = !old.column.details.isEmpty && old.column.details == new.column.details
            let score = (isNear ? 2 : 0) + (saysTheSame ? 2 : 0) + (old.index == new.index ? 1 : 0)
            return score > 0 ? score : nil
        }
    }

    /// Events that share at least three quarters of their columns, or half if their names are similar. Without columns,
    /// the names must be similar, or equal in different categories.
    ///
    /// - Returns: Indices of `removed` and `added`, each in at most one pair.
    static func events(
        _ removed: [(category: String, event: Event)], _ added: [(category: String, event: Event)]
    ) -> [(removed: Int, added: Int)] {
        func shape(_ event: Event) -> Set<String> { Set(event.columns.map { "\($0.name): \($0.type.source)" }) }
        let old = removed.map { (of: $0, shape: shape($0.event)) }
        let new = added.map { (of: $0, shape: shape($0.event)) }
        return pairs(old, new) { old, new in
            let isNear = NearestName.isNear(old.of.event.name, new.of.event.name)
            let all = old.shape.union(new.shape).count
            guard all > 0 else { return isNear ? 100 : nil }
            let shared = 100 * old.shape.intersection(new.shape).count / all
            guard shared >= (isNear ? 50 : 75) else { return nil }
            return shared + (isNear ? 50 : 0) + (old.of.category == new.of.category ? 1 : 0)
        }
    }

    /// Best pairs first; each item is used once.
    private static func pairs<Item>(
        _ removed: [Item], _ added: [Item], score: (Item, Item) -> Int?
    ) -> [(removed: Int, added: Int)] {
        guard removed.count * added.count <= mostPairs else { return [] }
        var found: [(score: Int, removed: Int, added: Int)] = []
        for (first, old) in removed.enumerated() {
            for (second, new) in added.enumerated() {
                if let score = score(old, new) { found.append((score, first, second)) }
            }
        }
        found.sort { (-$0.score, $0.removed, $0.added) < (-$1.score, $1.removed, $1.added) }
        var (goneUsed, newUsed): (Set<Int>, Set<Int>) = ([], [])
        return found.compactMap { pair in
            guard !goneUsed.contains(pair.removed), newUsed.insert(pair.added).inserted else { return nil }
            goneUsed.insert(pair.removed)
            return (pair.removed, pair.added)
        }
    }
}
