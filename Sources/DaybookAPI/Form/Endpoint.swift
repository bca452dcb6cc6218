/// A question that the API answers: its path, its parameters, and the form of its answer. Defines both routes and
/// clients.
package struct Endpoint<Answer: Sendable>: Sendable {
    package let method: String
    /// With `{id}` or `{id…}` for the variable part.
    package let path: String
    package let parameters: Set<String>
    package let form: Form<Answer>

    /// - Parameters:
    ///   - path: Below `/api/v1/`.
    ///   - parameters: The permitted ones. Default: none.
    package init(_ method: String, _ path: String, parameters: Set<String> = [], _ form: Form<Answer>) {
        (self.method, self.path, self.parameters, self.form) = (method, "/api/v1/" + path, parameters, form)
    }

    /// The path with its variable part.
    package func path(of id: String) -> String {
        guard let start = path.firstIndex(of: "{"), let end = path.lastIndex(of: "}") else { return path }
        return String(path[..<start]) + id + path[path.index(after: end)...]
    }
}

/// A query's parameters, decoded, in order.
package typealias Parameters = [(name: String, value: String)]
