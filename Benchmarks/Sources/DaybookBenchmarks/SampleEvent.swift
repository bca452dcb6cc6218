import Daybook

/// An event as the compiler generates it: a string, two integers, a Boolean and a 20-character string.
enum RecipeSearch: LogEvent {
    case search(keyword: String, recipeId: Int64, position: Int, isCold: Bool, visit: String)

    var descriptor: EventDescriptor {
        switch self {
        case .search: Self.descriptors.search
        }
    }

    func encode(into fields: inout FieldEncoder) {
        switch self {
        case .search(let keyword, let recipeId, let position, let isCold, let visit):
            fields.add("keyword", keyword)
            fields.add("recipe_id", recipeId)
            fields.add("position", position)
            fields.add("is_cold", isCold)
            fields.add("visit", visit)
        }
    }

    private struct Descriptors: Sendable {
        let search = EventDescriptor("recipe_search.search")
    }

    private static let descriptors = Descriptors()
}

/// The values that all rows log.
enum Sample {
    static let keyword = "egg soup"
    /// Made at run time, so that it is a heap string as in an app.
    static let visit = String((0..<20).map { _ in Character("x") })

    /// The logged event, for a recipe with this number.
    @inline(__always)
    static func event(_ recipe: Int) -> RecipeSearch {
        .search(keyword: keyword, recipeId: Int64(recipe), position: 7, isCold: true, visit: visit)
    }
}

/// Accepts everything and keeps nothing.
struct DiscardingOutput: BatchOutput {
    let id: String

    init(_ id: String = "discard") { self.id = id }

    func send(_ batch: Batch) async -> Delivery { .delivered }
}

/// Never accepts anything: records stay in the journal.
struct RefusingOutput: BatchOutput {
    let id: String

    init(_ id: String = "discard") { self.id = id }

    func send(_ batch: Batch) async -> Delivery { .pause(reason: "a backlog is wanted") }
}
