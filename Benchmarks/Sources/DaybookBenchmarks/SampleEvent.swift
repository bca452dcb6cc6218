import Daybook

/// An event as generated: a string, two integers, a Boolean and a 20-character string.
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
    /// Created at run time to be on the heap, as in an app.
    static let visit = String((0..<20).map { _ in Character("x") })

    /// The sample event for a recipe.
    @inline(__always)
    static func event(_ recipe: Int) -> RecipeSearch {
        .search(keyword: keyword, recipeId: Int64(recipe), position: 7, isCold: true, visit: visit)
    }
}

/// Accepts and discards everything.
struct DiscardingOutput: BatchOutput {
    let id: String

    init(_ id: String = "discard") { self.id = id }

    func send(_ batch: Batch) async -> Delivery { .delivered }
}

/// Accepts nothing, so records stay in the journal.
struct RefusingOutput: BatchOutput {
    let id: String

    init(_ id: String = "discard") { self.id = id }

    func send(_ batch: Batch) async -> Delivery { .pause(reason: "a backlog is wanted") }
}
