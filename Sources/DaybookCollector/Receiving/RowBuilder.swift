import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Makes rows from borrowed records: attributes become JSON in one pass over the request's bytes, and what consecutive
/// records share is made once. Serves one request.
struct RowBuilder {
    private var names: AttributeNames
    private var texts = TextCache()
    /// The `attributes` column.
    private var own = JSONBytes()
    /// The `context` column, from resource, scope and record; its first bytes are shared by all records of the scope.
    private var context = JSONBytes()
    private var sharedCount = 0
    /// What the scope's records share, and what the previous record overrode.
    private var scope: SenderScope?
    private var nearer: Set<String> = []
    /// Whether records may override shared members.
    private var mayReplace = false
    /// Whether the shared part has just been rebuilt.
    private var isSharedNew = false
    /// The last `context` column; an equal one is reused.
    private var writtenContext = ""
    /// Whether it was of the same scope; then only the part after the shared bytes can differ.
    private var isWrittenOfScope = false
    /// Names of overridden values, one entry per occurrence: attributes repeated or replaced by a member or the
    /// collector, and those of the resource and scope.
    private(set) var repeatedNames: [String] = []

    init(_ signal: OTLPSignal) { names = AttributeNames(of: signal) }

    mutating func begin(_ scope: SenderScope) {
        names.begin(contextKeys: scope.contextKeys)
        self.scope = scope
        mayReplace = !scope.sharedKeys.isEmpty
        share(without: [])
    }

    /// The shared part's bytes, if it was rebuilt since the last call.
    mutating func newShared() -> Int? {
        defer { isSharedNew = false }
        return isSharedNew ? sharedCount : nil
    }

    private mutating func share(without nearer: Set<String>) {
        self.nearer = nearer
        context.truncate(to: 0)
        context.append(UInt8(ascii: "{"))
        scope?.shared.append(to: &context, without: nearer)
        sharedCount = context.count
        isWrittenOfScope = false
        isSharedNew = true
    }

    /// Sorts a record's attributes by destination: dedicated columns in the result, the rest in `attributes` and
    /// `context` of the next row.
    /// - Parameter details: follow the attributes and override equal names.
    mutating func sort(_ attributes: WireAttributes, details: [Attributes.Element] = []) -> RecordAttributes {
        var sorted = write(attributes, without: [])
        if !repeatedNames.isEmpty { repeatedNames.removeAll() }
        let isNamedTwice = attributes.elements.contains { attribute in
            details.contains { attribute.key.isEqual(to: $0.key) }
        }
        if names.mayRepeat || isNamedTwice || mayReplace {
            let (replaced, nearer) = replaced(attributes, by: details)
            let isShared = nearer == self.nearer
            if !isShared { share(without: nearer) }
            if !isShared || !replaced.isEmpty { sorted = write(attributes, without: replaced) }
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
        sorted.preferNewNames()
        return sorted
    }

    /// The indices of attributes without a column that are overridden by a later one of the name, a detail, or the
    /// collector's own members; and the names that override the resource's and scope's. Notes the names.
    private mutating func replaced(
        _ attributes: WireAttributes, by details: [Attributes.Element]
    ) -> (places: Set<Int>, nearer: Set<String>) {
        var sorted = RecordAttributes()
        var replaced: Set<Int> = []
        var nearer: Set<String> = []
        var last: [String: Int] = [:]
        let detailNames = Set(details.map(\.key))
        for (place, attribute) in attributes.elements.enumerated() {
            let name = names.name(attribute.key)
            let key = attribute.key.string
            let earlier = last.updateValue(place, forKey: key)
            let isTaken = sorted.take(name.role, attribute.value)
            let isShared = !isTaken && name.isContext && scope?.sharedKeys.contains(key) == true
            let givesWay = name.isContext ? isShared && scope?.shared.isFixed(key) == true : detailNames.contains(key)
            let replacesShared = isShared && !givesWay && nearer.insert(key).inserted
            if givesWay || replacesShared || earlier != nil { repeatedNames.append(key) }
            if isTaken { continue }
            if givesWay { replaced.insert(place) }
            if let earlier { replaced.insert(earlier) }
        }
        return (replaced, nearer)
    }

    /// A text that other records probably have, too.
    mutating func text(_ text: WireText) -> String { texts.string(text) }

    mutating func fill(_ row: inout RecordRow, with sorted: RecordAttributes, of scope: SenderScope) {
        own.append(UInt8(ascii: "}"))
        row.attributes = own.string
        context.append(UInt8(ascii: "}"))
        if !context.isEqual(to: writtenContext, from: isWrittenOfScope ? sharedCount : 0) {
            writtenContext = context.string
        }
        // A repaired text has other bytes.
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

    /// The module in Swift's `#fileID`, which Daybook senders use: `Module/File.swift` (SE-0274).
    private mutating func module(ofFile fileID: WireText) -> String? {
        guard let end = fileID.bytes.firstIndex(of: UInt8(ascii: "/")), end > 0 else { return nil }
        return text(WireText(UnsafeRawBufferPointer(rebasing: fileID.bytes[..<end])))
    }
}

/// A record's attributes with dedicated columns; borrowed like the record.
struct RecordAttributes {
    private(set) var uid: WireText?
    /// Whether the sender's uid is not a string: then it stays an attribute and identifies nothing.
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
    /// Values under names of earlier conventions.
    private var older = (file: WireText?.none, function: WireText?.none, line: Int?.none)
    private var hasOlder = false
    /// Older names with a value that differs from the new name's, which wins.
    private(set) var replacedNames: [StaticString] = []
    private(set) var isException = false
    private(set) var isRequest = false
    /// A bit per role of Daybook's attributes that had a meaningless value.
    private var misfits: UInt32 = 0
    /// What the attributes reveal about a failure.
    private(set) var implied = ImpliedLevel()

    /// Moves an attribute into its column; `false` if it has none, or the value does not fit.
    @inline(__always)
    mutating func take(_ role: AttributeNames.Role, _ value: WireValue) -> Bool {
        // A team's own column, the common case.
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
        case (.olderFile, .string(let text)): (older.file, hasOlder) = (text, true)
        case (.olderFunction, .string(let text)): (older.function, hasOlder) = (text, true)
        case (.olderLine, .int(let number)): (older.line, hasOlder) = (Int(clamping: number), true)
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

    /// The new spelling of a name wins over the old.
    mutating func preferNewNames() {
        guard hasOlder else { return }
        replacedNames = []
        if let old = older.file, let file, !file.isEqual(to: old.bytes) { replacedNames.append(WireName.olderFile) }
        if let old = older.function, let function, !function.isEqual(to: old.bytes) {
            replacedNames.append(WireName.olderFunction)
        }
        if let old = older.line, let line, line != old { replacedNames.append(WireName.olderLine) }
        (file, function, line) = (file ?? older.file, function ?? older.function, line ?? older.line)
    }

    private static let ownNames: [(role: AttributeNames.Role, name: StaticString)] = [
        (.tag, WireName.tag), (.kind, WireName.kind), (.severity, WireName.severity), (.module, WireName.module),
        (.privateNames, WireName.privateNames), (.privateCommonNames, WireName.privateCommonNames),
    ]

    /// Daybook's attributes that are kept because their values are meaningless.
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

/// Interns texts that recur in a request: tags, sessions, files.
///
/// A hash table without chains: a colliding text evicts the old one.
struct TextCache {
    private var texts = [String](repeating: "", count: 64)

    mutating func string(_ text: WireText) -> String {
        let place = Int(truncatingIfNeeded: text.mark) & (texts.count - 1)
        if text.isEqual(to: texts[place]) { return texts[place] }
        let string = text.string.storableName
        texts[place] = string
        return string
    }
}
