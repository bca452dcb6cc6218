import Daybook

/// What the mapping of a request's records uses again and again, so that a record costs no arrays of its own.
struct MappingWorkspace {
    /// What stays in the record's column `attributes`.
    var own: [Attributes.Element] = []
    /// What the sender names as context.
    var context: [Attributes.Element] = []

    private var json: [UInt8] = []
    /// The context that was written last: one that equals the record's before it is not written again.
    private var writtenContext: [Attributes.Element] = []
    private var writtenShared: [UInt8] = []
    private var written = "{}"

    init() {}

    /// Makes it ready for the next record.
    mutating func clear() {
        own.removeAll(keepingCapacity: true)
        context.removeAll(keepingCapacity: true)
    }

    /// The record's own attributes as a JSON object.
    mutating func ownText() -> String {
        if own.isEmpty { return "{}" }
        json.removeAll(keepingCapacity: true)
        json.append(UInt8(ascii: "{"))
        JSONWriter.writeMembers(own[...], into: &json)
        json.append(UInt8(ascii: "}"))
        return String(decoding: json, as: UTF8.self)
    }

    /// The record's context as a JSON object.
    /// - Parameter shared: members that all records of the scope have, as JSON without braces.
    mutating func contextText(shared: [UInt8]) -> String {
        if context == writtenContext, shared == writtenShared { return written }
        writtenContext = context
        writtenShared = shared
        json.removeAll(keepingCapacity: true)
        json.append(UInt8(ascii: "{"))
        json += shared
        if !shared.isEmpty, !context.isEmpty { json.append(UInt8(ascii: ",")) }
        JSONWriter.writeMembers(context[...], into: &json)
        json.append(UInt8(ascii: "}"))
        written = String(decoding: json, as: UTF8.self)
        return written
    }
}
