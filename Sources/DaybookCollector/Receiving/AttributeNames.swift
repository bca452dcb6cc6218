import DaybookBase
import DaybookOTLP
import DaybookTools

/// The meanings of a scope's attribute names, cached, since most records repeat their predecessors' names.
///
/// A hash table without chains: a colliding name evicts the old one, so hostile names make it neither large nor slow.
struct AttributeNames {
    /// An attribute's place in the record.
    enum Role: UInt8 {
        case uid, tag, eventName, kind, severity, module, session, file, function, line
        /// Names of earlier conventions.
        case olderFile, olderFunction, olderLine
        /// Kept as attributes, and hint at the kind or level.
        case exception, error, status, component, request
        /// Kept as attributes, and list the private names.
        case privateNames, privateCommonNames
        case plain
    }

    struct Name: BitwiseCopyable {
        /// In bytes: the longest cached name, with quotes and colon.
        static let room = 64

        /// `"name":` as JSON.
        fileprivate(set) var member = SIMD64<UInt8>()
        /// 0 if the name is too long to cache or needs escaping.
        private(set) var memberCount = 0
        fileprivate(set) var role = Role.plain
        /// Whether it belongs to the context, unless a column takes it.
        fileprivate(set) var isContext = false
        /// Whether no other bytes spell the same name: valid and normalized.
        fileprivate private(set) var isSettled = false
        /// The record that used it last.
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
    /// Whether the current record may repeat a name; `false` is certain.
    private(set) var mayRepeat = false

    init(of signal: OTLPSignal) { self.signal = signal }

    /// Sets the context's attribute names for the following records.
    mutating func begin(contextKeys: Set<String>) {
        guard contextKeys != self.contextKeys else { return }
        self.contextKeys = contextKeys
        for place in names.indices { names[place] = Name() }
    }

    mutating func beginRecord() {
        record += 1
        mayRepeat = false
    }

    mutating func name(_ key: WireText) -> Name {
        let place = Int(truncatingIfNeeded: key.mark) & (names.count - 1)
        if names[place].isName(key) {
            if names[place].record == record { mayRepeat = true }
        } else {
            let name = Name(key, contextKeys: contextKeys, of: signal)
            // Uncached and evicted names could be repeated unnoticed.
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
            // Spans have no event name.
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

    /// What it reveals about a failure.
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
