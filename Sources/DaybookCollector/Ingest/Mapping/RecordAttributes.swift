import Daybook
import DaybookOTLP
import DaybookStore

/// A record's attributes that have columns of their own, lent as the record is.
struct RecordAttributes {
    private(set) var uid: WireText?
    private(set) var tag: WireText?
    private(set) var eventName: WireText?
    private(set) var kind: Kind?
    private(set) var severity: Int?
    private(set) var module: WireText?
    private(set) var session: WireText?
    private(set) var file: WireText?
    private(set) var function: WireText?
    private(set) var line: Int?
    private(set) var isException = false
    private(set) var isRequest = false

    /// Moves an attribute that has a column into it; `false` where it has none, or holds what the column cannot.
    @inline(__always)
    mutating func take(_ role: AttributeNames.Role, _ value: WireValue) -> Bool {
        // A team's own column, the usual case.
        if role == .plain { return false }
        return takeNamed(role, value)
    }

    private mutating func takeNamed(_ role: AttributeNames.Role, _ value: WireValue) -> Bool {
        switch (role, value) {
        case (.uid, .string(let text)) where !text.isEmpty: uid = text
        case (.tag, .string(let text)) where !text.isEmpty: tag = text
        case (.eventName, .string(let text)) where !text.isEmpty: eventName = text
        case (.severity, .int(let number)) where (1...24).contains(number): severity = Int(number)
        case (.module, .string(let text)): module = text
        case (.session, .string(let text)): session = text
        case (.file, .string(let text)): file = text
        case (.function, .string(let text)): function = text
        case (.line, .int(let number)): line = Int(clamping: number)
        case (.kind, .string(let text)):
            guard let named = Kind(rawValue: text.string) else { return false }
            kind = named
        case (.dropped, _): break
        case (.exception, _):
            isException = true
            return false
        case (.request, _):
            isRequest = true
            return false
        default: return false
        }
        return true
    }
}
