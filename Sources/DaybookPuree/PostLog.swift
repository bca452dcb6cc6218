public import Daybook

// Puree's call over Daybook's pipeline: call sites change only their import.
//
//     import DaybookPuree                       // was: import Puree
//
//     logger.postLog(["recipe_id": 42, "user_id": 100], tag: "pv.recipe.detail")

extension Pipeline {
    /// Records an event under its tag, like Puree's `Logger`. Returns at once; thread-safe.
    /// - Parameters:
    ///   - payload: Becomes the attributes, sorted by name. What cannot be recorded is left out, and the attribute
    ///     `daybook.rejected.NAME` says so (`Attributes(any:)`).
    ///   - tag: The event: `pv.recipe.detail`. Puree's patterns work in filters and routes.
    public func postLog(_ payload: [String: Any]?, tag: String) { log().postLog(payload, tag: tag) }
}

extension Log {
    /// Records an event under its tag, which replaces this log's, like Puree's `Logger`. `Log("app")` writes to the
    /// installed pipeline. The payload is read only if a route takes events.
    public func postLog(_ payload: [String: Any]?, tag: String) {
        post(tag, payload.map(Attributes.init(any:)) ?? [:])
    }
}
