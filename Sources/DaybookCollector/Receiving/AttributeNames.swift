import DaybookBase
import DaybookOTLP
import DaybookTools

/// What the names of a scope's attributes mean, remembered from one record to the next: most records have the names of
/// those before them.
///
/// A table without chains: a name whose place is taken takes it over, so that no names that a sender thinks up can make
/// it large or slow.
struct AttributeNames {
    /// Where an attribute belongs.
    enum Role: UInt8 {
        case uid, tag, eventName, kind, severity, module, session, file, function, line
        /// Under the names of earlier conventions.
        case olderFile, olderFunction, olderLine
        /// Among the attributes, and telling the kind or the level.
        case exception, error, status, component, request
        /// Among the attributes, and naming those that are private.
        case privateNames, privateCommonNames
        case plain
    }

    /// What a name means.
    struct Name: BitwiseCopyable {
        /// Bytes of a name with its quotes and colon that are kept.
        static let room = 64

        /// `"name":`, as JSON has it.
        fileprivate(set) var member = SIMD64<UInt8>()
        /// 0 where the name is too long to be kept, or has to be escaped.
        private(set) var memberCount = 0
        fileprivate(set) var role = Role.plain
        /// Whether it belongs to the context, where no column of its own takes it.
        fileprivate(set) var isContext = false
        /// Whether no other bytes are the same name: it needs no repair, and is in normal form.
        fileprivate private(set) var isSettled = false
        /// The record that had it last.
        fileprivate var record = 0

        var isWritten: Bool { memberCount > 0 }

        fileprivate init() {}

        fileprivate init(_ key: WireText, contextKeys: Set<String>, of signal: OTLPSignal) {
            let text = key.string
            role = Role(text, of: signal)
            isContext = contextKeys.contains(text)
            let bytes = key.bytes
            isSettled = bytes.allSatisfy { $0 < 0x80 } || text.composed.utf8.elementsEqual(bytes)
            guard bytes.count <= Self.room - 3 else { return }
            let isPlain = withUnsafeMutableBytes(of: &member) { member in
                member[0] = UInt8(ascii: "\"")
                member[bytes.count + 1] = UInt8(ascii: "\"")
                member[bytes.count + 2] = UInt8(ascii: ":")
                return JSONPlainText.copy(bytes, to: UnsafeMutableRawBufferPointer(rebasing: member[1...]))
            }
            if isPlain { memberCount = bytes.count + 3 }
        }

        fileprivate mutating func isName(_ key: WireText) -> Bool {
            guard memberCount == key.bytes.count + 3 else { return false }
            return withUnsafeBytes(of: &member) { member in
                key.isEqual(to: UnsafeRawBufferPointer(rebasing: member[1..<key.bytes.count + 1]))
            }
        }
    }

    private var names = [Name](repeating: Name(), count: 128)
    private var record = 0
    private var contextKeys: Set<String> = []
    private let signal: OTLPSignal
    /// Whether the present record may have a name twice. Where it says no, it has none.
    private(set) var mayRepeat = false

    init(of signal: OTLPSignal) { self.signal = signal }

    /// The records that follow name these attributes as their context.
    mutating func begin(contextKeys: Set<String>) {
        guard contextKeys != self.contextKeys else { return }
        self.contextKeys = contextKeys
        for place in names.indices { names[place] = Name() }
    }

    /// Another record follows.
    mutating func beginRecord() {
        record += 1
        mayRepeat = false
    }

    /// What an attribute's name means.
    mutating func name(_ key: WireText) -> Name {
        let place = Int(truncatingIfNeeded: key.mark) & (names.count - 1)
        if names[place].isName(key) {
            if names[place].record == record { mayRepeat = true }
        } else {
            let name = Name(key, contextKeys: contextKeys, of: signal)
            // Nothing is known of a name that is not kept, nor any longer of the one that gives way.
            if !name.isWritten || names[place].record == record { mayRepeat = true }
            guard name.isWritten else { return name }
            names[place] = name
        }
        names[place].record = record
        if !names[place].isSettled { mayRepeat = true }
        return names[place]
    }
}

extension AttributeNames.Role {
    fileprivate init(_ key: String, of signal: OTLPSignal) {
        self =
            switch key {
            case WireName.uid: .uid
            case WireName.tag: .tag
            // A span has no event's name.
            case WireName.olderEventName: signal == .logs ? .eventName : .plain
            case WireName.kind: .kind
            case WireName.severity: .severity
            case WireName.module: .module
            case WireName.privateNames: .privateNames
            case WireName.privateCommonNames: .privateCommonNames
            case WireName.session: .session
            case WireName.file: .file
            case WireName.function: .function
            case WireName.line: .line
            case WireName.olderFile: .olderFile
            case WireName.olderFunction: .olderFunction
            case WireName.olderLine: .olderLine
            case WireName.httpMethod, WireName.olderHTTPMethod: .request
            default:
                switch ImpliedLevel.Sign(attribute: key) {
                case .exception: .exception
                case .error: .error
                case .status: .status
                case .component: .component
                case nil: .plain
                }
            }
    }

    /// What it tells of a failure.
    var sign: ImpliedLevel.Sign? {
        switch self {
        case .exception: .exception
        case .error: .error
        case .status: .status
        case .component: .component
        default: nil
        }
    }
}
