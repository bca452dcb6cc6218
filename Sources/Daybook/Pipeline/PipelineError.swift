/// A mistake in the use of a pipeline; never thrown because of what is on disk.
public struct PipelineError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, CustomStringConvertible {
        /// A tag pattern that cannot match as written.
        case badPattern
        /// Two outputs with the same id.
        case duplicateOutput
        /// More outputs than the limit (30).
        case tooManyOutputs
        /// No route: nothing would be recorded.
        case noRoute
        /// The pipeline has no output with this id.
        case unknownOutput

        public var description: String {
            switch self {
            case .badPattern: "badPattern"
            case .duplicateOutput: "duplicateOutput"
            case .tooManyOutputs: "tooManyOutputs"
            case .noRoute: "noRoute"
            case .unknownOutput: "unknownOutput"
            }
        }
    }

    public let code: Code
    /// What is wrong and what to do.
    public let description: String

    static func badPattern(_ pattern: String, _ problem: TagPattern.Problem) -> PipelineError {
        PipelineError(
            code: .badPattern,
            description: "The tag pattern \"\(pattern)\" is not valid: \(problem). Examples: \"recipe_search.search\", "
                + "\"recipe_search.*\", \"feed.**\", \"**\".")
    }

    static func duplicateOutput(_ id: String) -> PipelineError {
        PipelineError(
            code: .duplicateOutput,
            description: "Two outputs have the id \"\(id)\". An output's stored records are kept under its id, so each "
                + "needs its own: pass id: to one of them.")
    }

    static let tooManyOutputs = PipelineError(
        code: .tooManyOutputs, description: "A pipeline has room for \(RouteMask.maximumOutputs) outputs.")

    static let noRoute = PipelineError(
        code: .noRoute,
        description: "The pipeline has no route, so nothing would be recorded. Add Route(\"**\", to: …).")

    static func unknownOutput(_ id: String, known: [String]) -> PipelineError {
        PipelineError(
            code: .unknownOutput,
            description: "The pipeline has no output with the id \"\(id)\". Its outputs are: "
                + known.map { "\"\($0)\"" }.joined(separator: ", ") + ".")
    }
}
