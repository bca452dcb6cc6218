/// The unit of a numeric time.
enum SQLUnit: Hashable {
    /// Units of this many nanoseconds since 1970.
    case since1970(Double)
    /// Days, as of SQLite's `julianday()`.
    case julianDays

    static let nanoseconds = SQLUnit.since1970(1)
    static let seconds = SQLUnit.since1970(1e9)

    /// 1970 as a Julian day.
    static let epoch = 2_440_587.5

    var words: String {
        switch self {
        case .since1970(1): "nanoseconds"
        case .since1970(1e3): "microseconds"
        case .since1970(1e6): "milliseconds"
        case .since1970(1e9): "seconds"
        case .since1970(86_400e9), .julianDays: "days"
        case .since1970: "another unit"
        }
    }

    /// The unit of a number, if it looks like a current time.
    static func read(from number: Double) -> SQLUnit? {
        // From 2001 to 2286, the same range as for incoming times.
        let units = [1e9, 1e6, 1e3, 1]
        return units.first { (1e18..<1e19).contains(number * $0) }.map(SQLUnit.since1970)
    }
}

/// The form of a time as text.
struct SQLForm: Hashable {
    /// `0` is any digit; other characters are literal.
    let marks: String

    static let day = SQLForm(marks: "0000-00-00")
    static let clock = SQLForm(marks: "00:00:00")
    static let moment = SQLForm(marks: "0000-00-00 00:00:00")
    /// The column `_time`.
    static let record = SQLForm(marks: "0000-00-00T00:00:00.000000000Z")
    /// Current seconds since 1970.
    static let seconds = SQLForm(marks: "0000000000")

    var isDigits: Bool { marks.allSatisfy { $0 == "0" || $0 == "." } }

    /// The result of `strftime`; `nil` if it has no fixed form.
    init?(format: String) {
        let fields: [Character: String] = [
            "d": "00", "f": "00.000", "F": "0000-00-00", "H": "00", "j": "000", "m": "00", "M": "00", "R": "00:00",
            "s": "0000000000", "S": "00", "T": "00:00:00", "u": "0", "w": "0", "W": "00", "Y": "0000", "%": "%",
        ]
        var marks = ""
        var isField = false
        for character in format {
            if isField {
                guard let field = fields[character] else { return nil }
                marks += field
                isField = false
            } else if character == "%" {
                isField = true
            } else {
                // A literal 0 would be taken for a digit.
                guard character != "0" else { return nil }
                marks.append(character)
            }
        }
        self.marks = marks
    }

    init(marks: String) { self.marks = marks }

    /// `substr` of it.
    func part(from start: Int, count: Int) -> SQLForm {
        SQLForm(marks: String(marks.dropFirst(start - 1).prefix(count)))
    }

    /// The first character of a text that does not fit, with its position.
    func stranger(in text: String) -> (place: Int, character: Character)? {
        for (place, (mark, character)) in zip(marks, text).enumerated() where !Self.allows(mark, character) {
            return (place, character)
        }
        return nil
    }

    var example: String {
        marks.hasPrefix(Self.day.marks) ? "2026-11-20" + marks.dropFirst(10) : marks
    }

    /// Whether a text has this form.
    func holds(_ text: String) -> Bool { marks.count == text.count && stranger(in: text) == nil }

    /// Whether a text can have both forms.
    func meets(_ other: SQLForm) -> Bool {
        marks.count == other.marks.count && stranger(in: other.marks) == nil
    }

    static func allows(_ mark: Character, _ found: Character) -> Bool {
        mark == "0" ? found.isASCII && found.isNumber : mark == found
    }
}
