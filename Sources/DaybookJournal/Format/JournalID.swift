import DaybookBase

/// 128 bits that identify a journal, or a boot of the machine.
public struct JournalID: Hashable, Sendable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The first 32 hex digits of an ASCII text, ignoring other characters; `nil` if there are fewer.
    init?(hexDigitsOf text: [UInt8]) {
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for byte in text where digits < 32 {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { continue }
            words = (words.0 << 4 | words.1 >> 60, words.1 << 4 | UInt64(digit))
            digits += 1
        }
        guard digits == 32 else { return nil }
        self.init(high: words.0, low: words.1)
    }

    /// 32 lower-case hex digits.
    public var description: String { Hex.text(high) + Hex.text(low) }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }
}

/// Identifies one launch's frames: the journal, and a random number drawn at each open. After a power failure sequences
/// are reused, but under another epoch, so they are not taken for duplicates.
public struct JournalStream: Hashable, Sendable, CustomStringConvertible {
    public let journal: JournalID
    public let epoch: UInt64

    public init(journal: JournalID, epoch: UInt64) {
        self.journal = journal
        self.epoch = epoch
    }

    /// 48 lower-case hex digits: the journal, then the epoch.
    public var description: String { journal.description + Hex.text(epoch) }

    /// Parses a description; `nil` for another text.
    package init?(description: String) {
        let text = Array(description.utf8)
        guard text.count == 48, let journal = JournalID(hexDigitsOf: Array(text[..<32])),
            let epoch = Hex.word(description.suffix(16))
        else { return nil }
        self.init(journal: journal, epoch: epoch)
    }
}

enum Sequences {
    /// The highest valid sequence. No journal lives long enough to reach it; a higher one is damage and could overflow
    /// sums.
    static let highest: UInt64 = 1 << 62
}
