import DaybookAPI
import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import DaybookStore

/// Columns in the index: what was written is read, a damaged part never, and folds over them agree with statements.
@Suite(.temporaryDirectory) struct ColumnTests {
    private let directory = TemporaryDirectory.current
    private var path: String { directory.file("store.sqlite") }

    // MARK: One column

    /// Texts of a slice, in each of the ways in which columns are stored.
    private static let slices: [(name: String, count: Int, texts: [Int: String])] = [
        ("none", 5, [:]), ("all equal", 300, Dictionary((0..<300).map { ($0, "\"x\"") }) { $1 }),
        ("few", 5_000, [3: "1", 4_999: "\"\\u0041\"", 17: "true", 18: "1.5", 19: "[1,{}]"]),
        ("half", 4_001, Dictionary(stride(from: 0, to: 4_001, by: 2).map { ($0, "\"\($0 % 7)\"") }) { $1 }),
        ("integers", 3_000, Dictionary((0..<3_000).map { ($0, String($0 * 7_919 - 900_000)) }) { $1 }),
        ("large integers", 1_000, Dictionary((0..<1_000).map { ($0, "\(Int64($0) * 900_719_925_474_099)") }) { $1 }),
        (
            "many long texts", 9_000,
            Dictionary((0..<9_000).map { ($0, "\"\(String(repeating: "a", count: 30))\($0)\"") }) { $1 }
        ),
    ]

    /// - Parameters:
    ///   - texts: By place.
    ///   - key: `nil` keeps all texts.
    private static func builder(_ texts: [Int: String], key: HashKey?) -> ColumnBuilder {
        var builder = ColumnBuilder(isJSON: true, key: key)
        for place in texts.keys.sorted() {
            var text = texts[place] ?? ""
            text.withUTF8 { builder.add($0, at: place) }
        }
        return builder
    }

    @Test(arguments: slices.indices) func storedColumnIsReadAsItWasGathered(_ index: Int) throws {
        let (_, count, texts) = Self.slices[index]
        let key = HashKey.random()
        let gathered = Self.builder(texts, key: nil).column(of: count)
        let stored = Self.builder(texts, key: key).stored(as: .own("a"), of: count).sealed(in: 7)
        let read = try SliceColumn(stored, in: 7, isJSON: true)
        let (left, right) = (gathered.keys(key), read.keys(key))
        for place in 0..<count {
            let (known, found) = (Int(gathered.codes[place]), Int(read.codes[place]))
            #expect((known == 0) == (texts[place] == nil) && (found == 0) == (known == 0))
            guard known > 0, found > 0 else { continue }
            #expect(left[known - 1] == right[found - 1])
            if read.hasTexts { #expect(read.value(found) == gathered.value(known)) }
        }
    }

    @Test func integerHasTheKeyOfItsText() {
        let key = HashKey.random()
        for number in [0, 1, -1, 42, 999_999_999_999_999_999, -900_000] as [Int64] {
            #expect(key.key(of: number) == Self.key("\(number)", key))
            #expect(key.key(of: number) == Self.key("\"\(number)\"", key))
        }
        for text in ["", "-", "-0", "01", "1.0", "1e3", "１"] {
            #expect(HashKey.integer(Array(text.utf8)) == nil, "\(text)")
        }
        #expect(Self.key("\"\\u0061\"", key) == Self.key("\"a\"", key))
    }

    private static func key(_ json: String, _ key: HashKey) -> UInt64 {
        var json = json
        return json.withUTF8 { key.key(of: $0, isJSON: true) }
    }

    @Test(arguments: 0..<200) func flippedBitIsNoticed(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let texts = Self.slices[Int.random(in: 1..<Self.slices.count, using: &random)].texts
        var stored = Self.builder(texts, key: .random()).stored(as: .own("a"), of: 9_000).sealed(in: 7)
        let place = Int.random(in: 0..<stored.codes.count + stored.content.count, using: &random)
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        if place < stored.codes.count {
            stored.codes[place] ^= bit
        } else {
            stored.content[place - stored.codes.count] ^= bit
        }
        #expect(throws: ColumnBytes.Damage.self) { try SliceColumn(stored, in: 7, isJSON: true) }
    }

    @Test func columnOfAnotherPlaceIsDamage() throws {
        let stored = Self.builder([0: "5"], key: nil).stored(as: .own("a"), of: 1).sealed(in: 7)
        var renamed = stored
        renamed.name = "attributes.b"
        _ = try SliceColumn(stored, in: 7, isJSON: true)
        #expect(throws: ColumnBytes.Damage.self) { try SliceColumn(stored, in: 8, isJSON: true) }
        #expect(throws: ColumnBytes.Damage.self) { try SliceColumn(renamed, in: 7, isJSON: true) }
    }

    /// Whatever bytes a part has behind a valid checksum, reading it ends in a column or in damage.
    @Test(arguments: 0..<500) func arbitraryPartIsRefusedOrRead(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let places = (0..<20).filter { _ in Bool.random(using: &random) }
        let texts = Dictionary(uniqueKeysWithValues: places.map { ($0, "\(Int.random(in: 0..<5, using: &random))") })
        var stored = Self.builder(texts, key: .random()).stored(as: .own("a"), of: 20)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !stored.codes.isEmpty && !stored.content.isEmpty {
            let byte = UInt8.random(in: 0...255, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: stored.codes[Int.random(in: 0..<stored.codes.count, using: &random)] = byte
            case 1: stored.content[Int.random(in: 0..<stored.content.count, using: &random)] = byte
            case 2: stored.codes.removeLast()
            default: stored.content.removeLast()
            }
        }
        guard let column = try? SliceColumn(stored.sealed(in: 7), in: 7, isJSON: true) else { return }
        #expect(column.codes.allSatisfy { $0 <= column.count })
        for number in 0..<column.count { _ = column.text(number + 1) }
    }
}

extension SliceColumn {
    fileprivate init(_ stored: StoredColumn, in extent: Int64, isJSON: Bool) throws {
        self = try stored.codes.withUnsafeBytes { codes in
            try stored.content.withUnsafeBytes { content in
                try SliceColumn(
                    codes: StoredColumn.opened(codes, "codes", stored.name, in: extent),
                    values: StoredColumn.opened(content, "content", stored.name, in: extent), isJSON: isJSON)
            }
        }
    }
}
