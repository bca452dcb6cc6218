import DaybookBase

// Events have their own tags and need no log: posting to a pipeline equals posting to any of its logs.
extension Pipeline {
    /// Records a defined event; as `Log.post(_:)`.
    public func post(_ event: some LogEvent) { log().post(event) }

    /// Records an event without a definition, under its own tag; as `Log.post(_:_:level:)`.
    ///
    /// Messages, errors and measurements need a log's tag: `pipeline.log("menu").info("Loaded")`.
    public func post(_ event: String, _ attributes: @autoclosure () -> Attributes = [:], level: Level = .info) {
        log().post(event, attributes(), level: level)
    }

    /// Records an event without a definition, under its own tag, with variables as attributes.
    @_disfavoredOverload
    public func post(_ event: String, _ attributes: @autoclosure () -> LogValues, level: Level = .info) {
        log().post(event, Attributes(attributes()), level: level)
    }

    /// Records an event without a definition, with attributes that a closure sets; as `Log.post(_:level:_:)`.
    public func post(_ event: String, level: Level = .info, _ fill: (inout AttributeBuilder) -> Void) {
        log().post(event, level: level, fill)
    }

    /// Refuses a value that cannot be recorded.
    @available(
        *, unavailable,
        message:
            "a value must be a Bool, number, text, UUID, URL, Date, Data, an optional, array or dictionary of these, or a type of your own that is a LogValue (`enum Screen: String, LogValue`); a `[String: Any]` is `Attributes(any: payload)`"
    )
    @_disfavoredOverload
    public func post(_ event: String, _ attributes: [String: Any?], level: Level = .info) {}
}
