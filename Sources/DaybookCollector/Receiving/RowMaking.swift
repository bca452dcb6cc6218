import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Makes rows from records that are lent: the attributes become JSON in one pass over the request's bytes, and what is
/// the same from one record to the next is made once. Serves one request.
struct RowMaking {
    private var names = AttributeNames()
    private var texts = TextCache()
    /// What stays in the record's column `attributes`.
    private var own = JSONBytes()
    /// What the resource, the scope and the record say about the circumstances; the first bytes are the same for all
    /// records of the scope.
    private var context = JSONBytes()
    private var sharedCount = 0
    /// The column `context` that was made last: one that equals it is not made again.
    private var writtenContext = ""
    /// Whether that was a record of the same scope: then they differ behind what the scope's records share, if at all.
    private var isWrittenOfScope = false
    /// The names that the record's attributes have twice, of which the last value counts.
    private(set) var repeatedNames: [String] = []

    init() {}

    /// The records that follow are of a scope.
    /// - Returns: bytes of what their contexts share.
    mutating func begin(_ scope: SenderScope) -> Int {
        names.begin(contextKeys: scope.contextKeys)
        context.truncate(to: 0)
        context.append(UInt8(ascii: "{"))
        scope.appendContext(to: &context)
        sharedCount = context.count
        isWrittenOfScope = false
        return sharedCount
    }

    /// Sorts a record's attributes by where they belong: columns of their own in the result, the others in the columns
    /// `attributes` and `context` of the row that is filled next.
    /// - Parameter details: what follows the attributes and wins over those of the same name.
    mutating func sort(_ attributes: WireAttributes, details: [Attributes.Element] = []) -> RecordAttributes {
        let sorted = write(attributes, without: [])
        if !repeatedNames.isEmpty { repeatedNames.removeAll() }
        let isNamedTwice = attributes.elements.contains { attribute in
            details.contains { attribute.key.isEqual(to: $0.key) }
        }
        if names.mayRepeat || isNamedTwice {
            let replaced = replaced(attributes, by: details)
            if !replaced.isEmpty { _ = write(attributes, without: replaced) }
        }
        for detail in details {
            if own.count > 1 { own.append(UInt8(ascii: ",")) }
            own.append(.string(detail.key))
            own.append(UInt8(ascii: ":"))
            own.append(detail.value)
        }
        return sorted
    }

    private mutating func write(_ attributes: WireAttributes, without replaced: Set<Int>) -> RecordAttributes {
        var sorted = RecordAttributes()
        names.beginRecord()
        own.truncate(to: 0)
        own.append(UInt8(ascii: "{"))
        context.truncate(to: sharedCount)
        for (place, attribute) in attributes.elements.enumerated() {
            let name = names.name(attribute.key)
            if sorted.take(name.role, attribute.value) || replaced.contains(place) { continue }
            if name.isContext {
                context.appendName(attribute.key, name)
                context.append(attribute.value, of: attributes)
            } else {
                own.appendName(attribute.key, name)
                own.append(attribute.value, of: attributes)
            }
        }
        return sorted
    }

    /// The places of attributes without a column whose name comes again: of these the last counts. Notes the names.
    private mutating func replaced(_ attributes: WireAttributes, by details: [Attributes.Element]) -> Set<Int> {
        var sorted = RecordAttributes()
        var replaced: Set<Int> = []
        var last: [String: Int] = [:]
        let detailNames = Set(details.map(\.key))
        for (place, attribute) in attributes.elements.enumerated() {
            let name = names.name(attribute.key)
            let key = attribute.key.string
            let isDetail = !name.isContext && detailNames.contains(key)
            let earlier = last.updateValue(place, forKey: key)
            if isDetail || earlier != nil { repeatedNames.append(key) }
            if sorted.take(name.role, attribute.value) { continue }
            if isDetail { replaced.insert(place) }
            if let earlier { replaced.insert(earlier) }
        }
        return replaced
    }

    /// A name that other records are likely to have too.
    mutating func text(_ text: WireText) -> String { texts.string(text) }

    /// Gives a row what the attributes that were sorted last and the scope tell about it.
    mutating func fill(_ row: inout RecordRow, with sorted: RecordAttributes, of scope: SenderScope) {
        own.append(UInt8(ascii: "}"))
        row.attributes = own.string
        context.append(UInt8(ascii: "}"))
        if !context.isEqual(to: writtenContext, from: isWrittenOfScope ? sharedCount : 0) {
            writtenContext = context.string
        }
        // Where a text was mended its bytes are others.
        isWrittenOfScope = writtenContext.utf8.count == context.count
        row.context = writtenContext
        row.sequence = sorted.uid.flatMap(scope.sequence)
        row.session = sorted.session.map { text($0) }
        row.installation = scope.installation
        row.file = sorted.file.map { text($0) }
        row.function = sorted.function.map { text($0) }
        row.line = sorted.line
        row.module = sorted.module.map { text($0) }
        guard row.module == nil else { return }
        row.module = scope.origin == nil ? scope.name.nonempty : sorted.file.flatMap { module(ofFile: $0) }
    }

    /// The module of a file as a Daybook sender names it, with Swift's `#fileID`: `Module/File.swift` (SE-0274).
    private mutating func module(ofFile fileID: WireText) -> String? {
        guard let end = fileID.bytes.firstIndex(of: UInt8(ascii: "/")), end > 0 else { return nil }
        return text(WireText(UnsafeRawBufferPointer(rebasing: fileID.bytes[..<end])))
    }
}

/// A record's attributes that have columns of their own, lent as the record is.
struct RecordAttributes {
    private(set) var uid: WireText?
    /// Whether the sender's identity is no text: it stays an attribute, and tells nothing apart.
    private(set) var isUidForeign = false
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
    /// The roles among Daybook's own that had a value without a meaning: a bit for each.
    private var misfits: UInt32 = 0
    /// What the attributes tell of a failure.
    private(set) var implied = ImpliedLevel()

    /// Moves an attribute that has a column into it; `false` where it has none, or holds what the column cannot.
    @inline(__always)
    mutating func take(_ role: AttributeNames.Role, _ value: WireValue) -> Bool {
        // A team's own column, the usual case.
        if role == .plain { return false }
        return takeNamed(role, value)
    }

    private mutating func takeNamed(_ role: AttributeNames.Role, _ value: WireValue) -> Bool {
        switch (role, value) {
        case (.uid, .string(let text)) where text.bytes.contains { $0 > 0x20 }: uid = text
        case (.uid, _):
            if case .string = value { return false }
            isUidForeign = true
            return false
        case (.tag, .string(let text)) where !text.isEmpty: tag = text
        case (.eventName, .string(let text)) where !text.isEmpty: eventName = text
        case (.severity, .int(let number)) where (1...24).contains(number): severity = Int(number)
        case (.module, .string(let text)): module = text
        case (.session, .string(let text)): session = text
        case (.file, .string(let text)): file = text
        case (.function, .string(let text)): function = text
        case (.line, .int(let number)): line = Int(clamping: number)
        case (.kind, .string(let text)):
            guard let named = Kind(rawValue: text.string) else {
                noteMisfit(role, value)
                return false
            }
            kind = named
        case (.exception, _), (.error, _), (.status, _), (.component, _):
            if role == .exception { isException = true }
            if let sign = role.sign { implied.add(sign, value.signText) }
            return false
        case (.request, _):
            isRequest = true
            return false
        case (.privateNames, .nested), (.privateCommonNames, .nested): return false
        default:
            noteMisfit(role, value)
            return false
        }
        return true
    }

    private static let ownNames: [(role: AttributeNames.Role, name: StaticString)] = [
        (.tag, WireName.tag), (.kind, WireName.kind), (.severity, WireName.severity), (.module, WireName.module),
        (.privateNames, WireName.privateNames), (.privateCommonNames, WireName.privateCommonNames),
    ]

    /// The attributes of Daybook's own that are kept because their value has no meaning there.
    var misfitNames: [StaticString] {
        misfits == 0 ? [] : Self.ownNames.filter { misfits & 1 << $0.role.rawValue != 0 }.map(\.name)
    }

    private mutating func noteMisfit(_ role: AttributeNames.Role, _ value: WireValue) {
        // Some writers write every field.
        switch value {
        case .null, .int(0): return
        case .string(let text) where text.isEmpty: return
        default: misfits |= 1 << role.rawValue
        }
    }
}

extension WireValue {
    /// The value as ``ImpliedLevel`` compares it.
    fileprivate var signText: String {
        switch self {
        case .string(let text): text.string
        case .bool(true): "true"
        default: ""
        }
    }
}

/// Texts that come again and again in a request, copied once: tags, sessions, files.
///
/// A table without chains: a text whose place is taken takes it over.
struct TextCache {
    private var texts = [String](repeating: "", count: 64)

    /// The text, copied.
    mutating func string(_ text: WireText) -> String {
        let place = Int(truncatingIfNeeded: text.mark) & (texts.count - 1)
        if text.isEqual(to: texts[place]) { return texts[place] }
        let string = text.string.storableName
        texts[place] = string
        return string
    }
}
