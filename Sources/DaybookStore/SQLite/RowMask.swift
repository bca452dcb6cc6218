import DaybookBase
import DaybookTools

/// Masks what rows of `stored_records` have, text by text. Contexts are masked once for all records that share one, and
/// a record that is asked for repeatedly, once for each column of a view, is masked once.
///
/// Belongs to its connection's thread.
final class RowMask {
    /// A context with its masked forms. Many records share one.
    private final class SharedContext {
        /// What determines a context's masked form, besides its text.
        struct Form {
            /// The number of the record's tag, if its event declares what other events hide.
            var tag: Int?
            /// Names that the attributes call private.
            var told: [Int]
            var shown: [UInt8]
        }

        static let mostForms = 100

        let text: String
        /// Names that it calls private; `nil` for too many.
        let told: [Int]?
        /// `nil` for the default sieve.
        let sieve: MaskingSieve?
        var forms: [Form] = []

        init(_ text: String, told: [Int]?, _ sieve: MaskingSieve?) {
            (self.text, self.told, self.sieve) = (text, told, sieve)
        }
    }

    /// Cached bytes of masked contexts: those of some ten thousand users.
    private static let mostContextBytes = 8 << 20

    private(set) var hasMasked = false
    /// Whether it reads a context for itself.
    private(set) var isReading = false
    private let policy: MaskingPolicy
    private unowned let connection: SQLiteConnection
    /// Rules out most texts quickly.
    private let sieve: MaskingSieve
    private var flat: FlatMask
    /// Contexts by what records have for them.
    private var numbers = ByteNumbers()
    private var contexts: [SharedContext] = []
    private var contextBytes = 0

    /// The last record: its texts, what is known of them, and the attributes as shown.
    private var texts: [UInt8] = []
    private var ends = (0, 0)
    private var context = SharedContext("{}", told: [], nil)
    private var isFlat = false
    private var outcome: FlatMask.Outcome?
    private var shown: [UInt8] = []

    init(_ policy: MaskingPolicy, _ connection: SQLiteConnection) {
        (self.policy, self.connection) = (policy, connection)
        sieve = MaskingSieve(columns: policy.names)
        flat = FlatMask(policy, sieve)
    }

    typealias Text = UnsafeBufferPointer<UInt8>

    // MARK: Attributes

    /// Lends masked attributes to `body`.
    /// - Returns: `false`, without calling it, if nothing in them is masked.
    func withAttributes(
        _ attributes: Text, of tag: Text, in stored: Text, _ body: ([UInt8]) -> Void
    ) throws(StoreError) -> Bool {
        try read(tag, attributes, stored)
        if outcome == nil {
            outcome = .unsure
            if isFlat, let told = context.told { outcome = flat.mask(attributes, of: tag, alsoTold: told) }
            if outcome == .unsure { outcome = maskedByPolicy(attributes, tag) }
            hasMasked = hasMasked || outcome != .same
        }
        switch outcome {
        case .changed: body(flat.output)
        case .unsure: body(shown)
        case .same, nil: return false
        }
        return true
    }

    /// - Returns: `.same`, or `.unsure` with the masked text in `shown`.
    private func maskedByPolicy(_ attributes: Text, _ tag: Text) -> FlatMask.Outcome {
        guard (context.sieve ?? sieve).suspects(attributes) else { return .same }
        let text = String(streamSafe: attributes)
        let masked = policy.masked(
            attributes: text, context: context.text, of: String(decoding: tag, as: UTF8.self)
        ).attributes
        if masked == text { return .same }
        shown = Array(masked.utf8)
        return .unsure
    }

    private func read(_ tag: Text, _ attributes: Text, _ stored: Text) throws(StoreError) {
        if ends == (tag.count, tag.count + attributes.count), texts.count == ends.1 + stored.count,
            stands(attributes, ends.0), stands(tag, 0), stands(stored, ends.1)
        {
            return
        }
        texts.removeAll(keepingCapacity: true)
        context = try shared(stored)
        isFlat = flat.read(attributes)
        outcome = nil
        texts += tag
        texts += attributes
        texts += stored
        ends = (tag.count, tag.count + attributes.count)
    }

    /// Whether the last record's texts have a text at a place.
    private func stands(_ text: Text, _ place: Int) -> Bool {
        texts.withUnsafeBufferPointer { texts in
            for index in text.indices where texts[place + index] != text[index] { return false }
            return true
        }
    }

    // MARK: Contexts

    /// Lends a record's masked context to `body`.
    func withContext(
        _ stored: Text, of tag: Text, beside attributes: Text, _ body: ([UInt8]) -> Void
    ) throws(StoreError) {
        try read(tag, attributes, stored)
        var told = isFlat ? flat.told : nil
        if told == nil, (context.sieve ?? sieve).suspects(attributes) {
            told = flat.numbers(of: MaskingPolicy.told(in: String(streamSafe: attributes)))
        } else if told == nil {
            told = []
        }
        let tagNumber = flat.number(ofTag: tag)
        if let told, let known = context.forms.first(where: { $0.tag == tagNumber && $0.told == told }) {
            hasMasked = hasMasked || !known.shown.elementsEqual(context.text.utf8)
            return body(known.shown)
        }
        let masked = policy.masked(
            attributes: told == [] ? "{}" : String(streamSafe: attributes), context: context.text,
            of: String(decoding: tag, as: UTF8.self)
        ).context
        hasMasked = hasMasked || masked != context.text
        let shown = Array(masked.utf8)
        if let told {
            if context.forms.count >= SharedContext.mostForms { context.forms = [] }
            context.forms.append(SharedContext.Form(tag: tagNumber, told: told, shown: shown))
            contextBytes += shown.count
        }
        body(shown)
    }

    private func shared(_ stored: Text) throws(StoreError) -> SharedContext {
        if let known = numbers.number(of: stored) { return contexts[known] }
        if contextBytes > Self.mostContextBytes { (numbers, contexts, contextBytes) = (ByteNumbers(), [], 0) }
        isReading = true
        defer { isReading = false }
        let text = try ContextTable.context(of: String(streamSafe: stored), connection)
        let told = MaskingPolicy.told(in: text)
        let context = SharedContext(
            text, told: flat.numbers(of: told),
            told.isSubset(of: policy.names) ? nil : MaskingSieve(columns: policy.names.union(told)))
        contexts.append(context)
        _ = numbers.add(stored)
        contextBytes += text.utf8.count + stored.count
        return context
    }

    // MARK: Messages

    /// Lends a masked message to `body`.
    /// - Returns: `false`, without calling it, if nothing in it is masked.
    func withMessage(_ message: Text, _ body: ([UInt8]) -> Void) -> Bool {
        guard sieve.suspects(message) else { return false }
        let text = String(streamSafe: message)
        let masked = policy.masked(text)
        guard masked != text else { return false }
        hasMasked = true
        body(Array(masked.utf8))
        return true
    }
}
