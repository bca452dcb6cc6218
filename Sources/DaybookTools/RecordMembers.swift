import DaybookBase

/// The members of an NDJSON record, and their names elsewhere.
package enum RecordMembers {
    package static let names: Set<String> = [
        "id", "uid", "seq", "time", "kind", "level", "tag", "message", "module", "attributes", "context", "session",
        "installation", "trace_id", "span_id", "parent_span_id", "duration", "file", "function", "line",
    ]

    /// Other formats' names of members, in lower case and without punctuation.
    private static let foreignNames: [String: [String]] = [
        "time": ["timestamp", "ts", "datetime", "date", "eventtime", "createdat", "timeunixnano", "epoch"],
        "tag": ["event", "name", "eventname", "eventtype", "type", "action", "logger", "category"],
        "message": ["msg", "text", "body", "log", "description"],
        "attributes": [
            "properties", "props", "params", "parameters", "fields", "data", "metadata", "eventproperties", "payload",
            "extra", "attrs", "labels",
        ],
        "context": ["resource", "resourceattributes", "scope", "userproperties", "tags"],
        "level": ["severity", "severitytext", "severitynumber", "loglevel", "levelname", "lvl", "priority"],
        "uid": ["messageid", "insertid", "eventid", "recordid", "logrecorduid", "uuid"],
        "session": ["sessionid"], "installation": ["deviceid", "installationid", "anonymousid", "instanceid"],
        "parent_span_id": ["parentid"], "duration": ["elapsed", "durationns", "durationms"],
        "module": ["subsystem", "library", "package"], "function": ["func", "method"],
        "line": ["lineno", "linenumber"],
    ]

    /// The member that a name was probably meant to be.
    package static func member(meantBy name: String) -> String? {
        let plain = String(name.lowercased().filter { $0.isLetter || $0.isNumber })
        return foreignNames.first { $0.value.contains(plain) }?.key
            ?? names.first { $0.filter { $0 != "_" } == plain } ?? NearestName.of(name, among: names.sorted())
    }

    /// Follows the error that a line has no tag: what it may have instead.
    package static func hint(forTagOf object: Attributes) -> String? {
        let names = object.elements.map(\.key)
        if names.contains(where: { ["resourceLogs", "resource_logs", "resourceSpans", "resource_spans"].contains($0) })
        {
            return " This is OTLP: it goes to /v1/logs or /v1/traces."
        }
        if let scopes = names.first(where: { ["scopeLogs", "scopeSpans"].contains($0) }) {
            let resources = scopes == "scopeLogs" ? "resourceLogs" : "resourceSpans"
            return " This is a part of an OTLP request: `jq -c '{\(resources): [.]}'` puts it into one."
        }
        return names.first { $0 != "tag" && member(meantBy: $0) == "tag" }.map {
            " `\($0)` is not read: did you mean `tag`?"
        }
    }

    /// Unknown members, each with the one probably meant: `timestamp (8, did you mean time?)`.
    package static func text(of unread: Unread) -> String {
        unread.text { name in member(meantBy: name).map { "did you mean \($0)?" } }
    }
}
