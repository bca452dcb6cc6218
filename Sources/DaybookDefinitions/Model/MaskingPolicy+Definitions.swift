import DaybookBase
import DaybookTools

extension MaskingPolicy {
    /// The policy with the columns marked `[private]`. If an event, its category or the common columns declare a column
    /// of that name without the mark, it stays open in that event.
    package init(_ definitions: Definitions) {
        var hidden = Self.names(definitions.common, isPrivate: true)
        var open: [String: Set<String>] = [:]
        for category in definitions.categories {
            for event in category.events {
                let columns = event.columns + category.columns + definitions.common
                let own = Self.names(columns, isPrivate: true)
                hidden.formUnion(own)
                open["\(category.name).\(event.name)"] = Self.names(columns, isPrivate: false).subtracting(own)
            }
        }
        self.init(private: hidden, open: open)
    }

    private static func names(_ columns: [Column], isPrivate: Bool) -> Set<String> {
        Set(columns.filter { ($0.classification == .private) == isPrivate }.map { FoldedName.of($0.name) })
    }
}
