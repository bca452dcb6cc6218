import Daybook
import DaybookStore

/// A record's attributes sorted by where they belong: columns of their own here, the context and the rest in a workspace.
struct RecordAttributes {
    var uid: String?
    var tag: String?
    var eventName: String?
    var kind: Kind?
    var severity: Int?
    var module: String?
    var session: String?
    var file: String?
    var function: String?
    var line: Int?
    var isException = false
    var isRequest = false

    init(_ attributes: Attributes, contextKeys: Set<String>, _ workspace: inout MappingWorkspace) {
        workspace.clear()
        for element in attributes.elements where !take(element) {
            if contextKeys.contains(element.key) {
                workspace.context.append(element)
            } else {
                workspace.own.append(element)
            }
        }
    }

    /// Moves an attribute that has a column into it; `false` where it has none, or holds what the column cannot.
    private mutating func take(_ element: Attributes.Element) -> Bool {
        // Every name below has a dot; a team's own column has none, and is the usual case.
        guard element.key.utf8.contains(UInt8(ascii: ".")) else { return false }
        switch (element.key, element.value) {
        case (WireName.uid, .string(let text)) where !text.isEmpty: uid = text
        case (WireName.tag, .string(let text)) where !text.isEmpty: tag = text
        case (WireName.olderEventName, .string(let text)) where !text.isEmpty: eventName = text
        case (WireName.severity, .int(let number)) where (1...24).contains(number): severity = Int(number)
        case (WireName.module, .string(let text)): module = text
        case (WireName.session, .string(let text)): session = text
        case (WireName.file, .string(let text)), (WireName.olderFile, .string(let text)): file = text
        case (WireName.function, .string(let text)), (WireName.olderFunction, .string(let text)): function = text
        case (WireName.line, .int(let number)), (WireName.olderLine, .int(let number)): line = Int(clamping: number)
        case (WireName.kind, .string(let text)):
            guard let named = Kind(rawValue: text) else { return false }
            kind = named
        case (WireName.exceptionType, _):
            isException = true
            return false
        case (WireName.httpMethod, _), (WireName.olderHTTPMethod, _):
            isRequest = true
            return false
        default: return false
        }
        return true
    }

    /// The module of a file as a Daybook sender names it, with Swift's `#fileID`: `Module/File.swift` (SE-0274).
    private static func module(ofFile fileID: String) -> String? {
        let parts = fileID.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]).nonempty : nil
    }

    /// Gives a row what the attributes and the scope tell about it.
    func fill(_ row: inout RecordRow, scope: SenderScope, _ workspace: inout MappingWorkspace) {
        row.attributes = workspace.ownText()
        row.context = workspace.contextText(shared: scope.sharedContext)
        row.sequence = scope.sequence(of: uid)
        row.module = module ?? (scope.origin == nil ? scope.name.nonempty : file.flatMap(Self.module))
        row.session = session
        row.installation = scope.installation
        row.file = file
        row.function = function
        row.line = line
    }
}
