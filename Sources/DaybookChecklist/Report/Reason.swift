/// Why a verdict is as it is: phrases that stand one after the other, each a stable code with arguments, so that a page
/// can say them in its reader's language. The English text is what all phrases say together.
package struct Reason: Sendable, Hashable {
    /// A text of somebody else's; `nil` for phrases.
    private let words: String?
    /// What the text is made of; empty for a text of somebody else's.
    package let phrases: [Phrase]

    /// What the phrases say.
    package init(_ phrases: [Phrase]) {
        words = nil
        self.phrases = phrases
    }

    /// A text of somebody else's.
    package init(text: String) {
        words = text
        phrases = []
    }

    /// A text, with phrases only if they say the same: nobody learns from these what the text hides.
    package init(text: String, phrases: [Phrase]) {
        let reason = Reason(phrases)
        self = reason.text == text ? reason : Reason(text: text)
    }

    /// One line of English.
    package var text: String { words ?? phrases.map(\.text).joined() }

    /// A part of a reason.
    package struct Phrase: Sendable, Hashable {
        package let code: Code
        /// By the names that stand in the code's text, no more and no fewer.
        package let arguments: [String: Argument]

        package init(_ code: Code, _ arguments: [String: Argument] = [:]) {
            assert(Set(arguments.keys) == code.names, "\(code) wants \(code.names)")
            self.code = code
            self.arguments = arguments
        }

        /// A phrase that was stored; `nil` for one of another version.
        package init?(code name: String, arguments: [String: String]) {
            guard let code = Code(rawValue: name), Set(arguments.keys) == code.names else { return nil }
            self.init(code, arguments.mapValues { Argument($0) })
        }

        /// The columns whose values stand in it.
        var columns: [String] { arguments.values.flatMap(\.columns) }

        func replacingArguments(_ argument: (Argument) -> Argument) -> Phrase {
            Phrase(code, arguments.mapValues(argument))
        }

        /// The English.
        package var text: String {
            code.pieces.map { $0.isName ? arguments[$0.text]?.text ?? "" : $0.text }.joined()
        }
    }

    /// A text within a phrase, in which values of records are told from words, so that they can be masked.
    package struct Argument: Sendable, Hashable {
        private enum Piece: Sendable, Hashable {
            case words(String)
            case value(ChecklistValue, column: String)
        }

        private var pieces: [Piece]

        package init(_ words: String) { pieces = [.words(words)] }

        init(names: [String]) { self.init(names.joined(separator: ", ")) }

        init(_ number: some BinaryInteger) { self.init(String(number)) }

        /// A value of a record's column.
        init(_ value: ChecklistValue, of column: String) { pieces = [.value(value, column: column)] }

        /// `article_id = 123, referrer absent`: columns with what a record has there.
        /// - Parameters:
        ///   - link: Stands between a column and its value.
        ///   - nothing: Stands behind a column that has none.
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

        /// The argument with texts in the place of some values.
        /// - Parameter standIn: What takes the place of a column's values; `nil` where they stay.
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
    /// The names of the arguments.
    package var names: Set<String> { Set(pieces.filter(\.isName).map(\.text)) }

    /// The English cut at its arguments.
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
    /// A hint at a near name, if there is one.
    static func didYouMean(_ name: String?) -> Reason.Phrase? {
        name.map { Reason.Phrase(.didYouMean, ["name": Reason.Argument($0)]) }
    }
}

extension [Reason.Phrase] {
    /// Lists of phrases with a separator between them.
    static func joined(_ lists: [[Reason.Phrase]]) -> [Reason.Phrase] {
        Array(lists.joined(separator: [Reason.Phrase(.next)]))
    }
}
