/// The reason for a verdict: a sequence of phrases, each a stable code with arguments, which pages can translate. The
/// English text is all phrases together.
package struct Reason: Sendable, Hashable {
    /// A foreign text; `nil` for phrases.
    private let words: String?
    /// Empty for a foreign text.
    package let phrases: [Phrase]

    package init(_ phrases: [Phrase]) {
        words = nil
        self.phrases = phrases
    }

    package init(text: String) {
        words = text
        phrases = []
    }

    /// Keeps the phrases only if they say the same as the text, so that they reveal nothing that the text hides.
    package init(text: String, phrases: [Phrase]) {
        let reason = Reason(phrases)
        self = reason.text == text ? reason : Reason(text: text)
    }

    /// One line of English.
    package var text: String { words ?? phrases.map(\.text).joined() }

    package struct Phrase: Sendable, Hashable {
        package let code: Code
        /// Exactly the names in the code's text.
        package let arguments: [String: Argument]

        package init(_ code: Code, _ arguments: [String: Argument] = [:]) {
            assert(Set(arguments.keys) == code.names, "\(code) wants \(code.names)")
            self.code = code
            self.arguments = arguments
        }

        /// A stored phrase; `nil` for one of another version.
        package init?(code name: String, arguments: [String: String]) {
            guard let code = Code(rawValue: name), Set(arguments.keys) == code.names else { return nil }
            self.init(code, arguments.mapValues { Argument($0) })
        }

        /// The columns whose values it contains.
        var columns: [String] { arguments.values.flatMap(\.columns) }

        func replacingArguments(_ argument: (Argument) -> Argument) -> Phrase {
            Phrase(code, arguments.mapValues(argument))
        }

        package var text: String {
            code.pieces.map { $0.isName ? arguments[$0.text]?.text ?? "" : $0.text }.joined()
        }
    }

    /// A phrase's argument, with record values distinguished from words, so that they can be masked.
    package struct Argument: Sendable, Hashable {
        private enum Piece: Sendable, Hashable {
            case words(String)
            case value(ChecklistValue, column: String)
        }

        private var pieces: [Piece]

        package init(_ words: String) { pieces = [.words(words)] }

        init(names: [String]) { self.init(names.joined(separator: ", ")) }

        init(_ number: some BinaryInteger) { self.init(String(number)) }

        init(_ value: ChecklistValue, of column: String) { pieces = [.value(value, column: column)] }

        /// `article_id = 123, referrer absent`: columns with a record's values.
        /// - Parameters:
        ///   - link: Separates a column from its value.
        ///   - nothing: Follows a column without a value.
        init(_ values: [Evidence.Value], link: String, nothing: String) {
            pieces = []
            for pair in values {
                let start = (pieces.isEmpty ? "" : ", ") + pair.column
                if let value = pair.value {
                    pieces += [.words(start + link), .value(value, column: pair.column)]
                } else {
                    pieces.append(.words(start + nothing))
                }
            }
        }

        package var text: String {
            pieces.map {
                switch $0 {
                case .words(let words): words
                case .value(let value, _): value.description
                }
            }.joined()
        }

        fileprivate var columns: [String] {
            pieces.compactMap { if case .value(_, let column) = $0 { column } else { nil } }
        }

        /// Replaces the values of some columns.
        /// - Parameter standIn: Replaces a column's values; `nil` keeps them.
        func replacingValues(of standIn: (_ column: String) -> String?) -> Argument {
            var result = self
            for index in pieces.indices {
                guard case .value(_, let column) = pieces[index], let text = standIn(column) else { continue }
                result.pieces[index] = .words(text)
            }
            return result
        }
    }
}

extension Reason.Code {
    package var names: Set<String> { Set(pieces.filter(\.isName).map(\.text)) }

    /// The English, split at its arguments.
    fileprivate var pieces: [(text: String, isName: Bool)] {
        var pieces: [(text: String, isName: Bool)] = []
        for part in english.split(separator: "{", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "}", omittingEmptySubsequences: false)
            if ends.count > 1 { pieces.append((String(ends[0]), true)) }
            pieces.append((String(ends[ends.count - 1]), false))
        }
        return pieces
    }
}

extension Reason.Phrase {
    static func didYouMean(_ name: String?) -> Reason.Phrase? {
        name.map { Reason.Phrase(.didYouMean, ["name": Reason.Argument($0)]) }
    }
}

extension [Reason.Phrase] {
    static func joined(_ lists: [[Reason.Phrase]]) -> [Reason.Phrase] {
        Array(lists.joined(separator: [Reason.Phrase(.next)]))
    }
}
