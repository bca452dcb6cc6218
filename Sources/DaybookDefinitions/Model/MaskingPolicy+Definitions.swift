import DaybookBase
import DaybookTools

extension MaskingPolicy {
    /// The policy with the columns that a team calls `[private]`.
    package init(_ definitions: Definitions) {
        var own: [String: Set<String>] = [:]
        for category in definitions.categories {
            for event in category.events {
                own["\(category.name).\(event.name)"] = Self.names(event.columns + category.columns)
            }
        }
        self.init(own: own, common: Self.names(definitions.common), defined: Set(own.keys))
    }

    private static func names(_ columns: [Column]) -> Set<String> {
        Set(columns.filter { $0.classification == .private }.map(\.name))
    }
}
