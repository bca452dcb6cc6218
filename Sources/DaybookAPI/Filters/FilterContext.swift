import DaybookStore

/// What is needed to parse filters and related parameters. Safe to share between threads.
package struct FilterContext: Sendable {
    package let defined: DefinedEvents
    package let disclosure: Disclosure
    /// Nanoseconds since 1970.
    package let now: @Sendable () -> Int64

    package init(defined: DefinedEvents, disclosure: Disclosure, now: @escaping @Sendable () -> Int64) {
        (self.defined, self.disclosure, self.now) = (defined, disclosure, now)
    }

    /// - Parameter isLive: Whether `last` has no end. Default: `false`.
    /// - Throws: ``Problem`` that names the column.
    package func parse(_ text: String, isLive: Bool = false) throws(Problem) -> ParsedFilter {
        do throws(FilterError) {
            return try FilterParser.parse(text, now: now(), isLive: isLive)
        } catch {
            throw Problem(.badRequest, "filter, \(error).")
        }
    }

    /// Rejects comparing a private column in masked requests; logs it in others.
    package func check(_ expression: FilterExpression, _ sight: Sight) throws(Problem) {
        guard let column = disclosure.masked.hidden(in: expression) else { return }
        guard sight == .whole else {
            throw Problem(
                .badRequest,
                "filter: “\(column)” is private: leave it out, or ask with private=show and a key that may see it.")
        }
        let columns = expression.comparedColumns.filter(disclosure.masking.isPrivateAnywhere)
        disclosure.tell("compared private values of \(columns.sorted().joined(separator: ", "))")
    }
}
