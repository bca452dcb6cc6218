/// The parts of a pipeline, in the order they apply.
@resultBuilder
public enum PipelineBuilder {
    /// A filter or a route.
    public enum Part: Sendable {
        case filter(any FilterStage)
        case route(Route)
    }

    public static func buildExpression(_ route: Route) -> [Part] { [.route(route)] }
    /// A part that was made elsewhere.
    public static func buildExpression(_ part: Part) -> [Part] { [part] }
    public static func buildExpression(_ filter: some FilterStage) -> [Part] { [.filter(filter)] }
    public static func buildBlock(_ parts: [Part]...) -> [Part] { parts.flatMap { $0 } }
    public static func buildOptional(_ parts: [Part]?) -> [Part] { parts ?? [] }
    public static func buildEither(first parts: [Part]) -> [Part] { parts }
    public static func buildEither(second parts: [Part]) -> [Part] { parts }
    public static func buildArray(_ parts: [[Part]]) -> [Part] { parts.flatMap { $0 } }
}
