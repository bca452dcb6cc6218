import DaybookBase

package struct JournalFiles: Sendable {
    package let directory: String

    private static let segmentSuffix = ".segment"
    package static let temporarySuffix = ".tmp"
    package static let cursorSuffix = ".cursor"
    static let badSuffix = ".bad"

    private static let ringSuffix = ".ring"
    package static let ring = "ring"

    package init(directory: String) { self.directory = directory }

    var lock: String { directory + "/lock" }
    var identity: String { directory + "/journal.id" }
    package var cursors: String { directory + "/cursors" }
    func cursor(of output: String) -> String { cursors + "/" + Self.cursorName(of: output) }
    package var setAside: String { directory + "/set-aside" }

    package func path(_ name: String) -> String { directory + "/" + name }

    /// The directory of the nth writer, from 2 on.
    func writer(_ number: Int) -> String { directory + "/writer-\(number)" }

    /// A killed launch's ring, by its first sequence that no segment has.
    static func oldRing(first: UInt64) -> String { Hex.text(first) + ringSuffix }

    package static func isOldRing(_ name: String) -> Bool { name.hasSuffix(ringSuffix) }

    package static func segmentName(first: UInt64) -> String { Hex.text(first) + segmentSuffix }

    /// The first sequence in a segment's name; `nil` for another file's name.
    package static func firstSequence(ofSegment name: String) -> UInt64? {
        guard name.hasSuffix(segmentSuffix), name.utf8.count == 16 + segmentSuffix.utf8.count else { return nil }
        guard let first = Hex.word(name.prefix(16)), segmentName(first: first) == name, first > 0,
            first <= Sequences.highest
        else { return nil }
        return first
    }

    /// The cursor file of an output. Bytes other than `a-z`, digits, `-` and `_` become `%` and two hex digits; upper
    /// case too, since some file systems ignore case. A long name is cut and made unique by a checksum.
    static func cursorName(of output: String) -> String {
        var name = ""
        for byte in output.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                name.unicodeScalars.append(UnicodeScalar(byte))
            default:
                name += "%" + Hex.text(UInt64(byte)).suffix(2)
            }
        }
        if name.utf8.count > 180 {
            let sum = Array(output.utf8).withUnsafeBytes { checksum($0) }
            name = name.prefix(160) + "~" + Hex.text(UInt64(sum)).suffix(8)
        }
        return name + cursorSuffix
    }
}

/// The file with the journal's permanent id.
enum IdentityFile {
    private static let magic: UInt32 = 0x4449_4a44  // "DJID"
    private static let version: UInt32 = 1
    private static let crcOffset = 4
    static let byteCount = 32

    private static func encoded(_ id: JournalID) -> [UInt8] {
        var out = ByteWriter()
        out.put(magic)
        out.put(UInt32(0))  // the checksum, patched below
        out.put(version)
        out.put(UInt32(0))  // reserved
        out.put(id)
        out.patch(out.bytes.withUnsafeBytes { maskedChecksum(of: $0, leavingOut: crcOffset) }, at: crcOffset)
        return out.bytes
    }

    /// Not synced, since the open waits for it. If it is lost, the segments have the id.
    static func write(
        _ id: JournalID, to files: JournalFiles, _ system: any JournalFileSystem
    ) throws(JournalFileError) {
        let temporary = files.path("identity" + JournalFiles.temporarySuffix)
        let file = try system.open(temporary, .readWriteEmptied)
        defer { system.close(file) }
        try system.writeAll(file, encoded(id), at: 0)
        try system.rename(temporary, to: files.identity)
    }

    /// `nil` if the file is missing or damaged.
    static func read(_ files: JournalFiles, _ system: any JournalFileSystem) -> JournalID? {
        guard let file = try? system.open(files.identity, .read) else { return nil }  // a new journal has none
        defer { system.close(file) }
        return (try? system.readPrefix(file, byteCount))?.withUnsafeBytes { decode($0) }
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer) -> JournalID? {
        guard bytes.count >= byteCount else { return nil }
        let block = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
        var input = ByteReader(block)
        guard input.take(UInt32.self) == magic, let crc = input.take(UInt32.self),
            maskedChecksum(of: block, leavingOut: crcOffset) == crc, input.take(UInt32.self) == version,
            input.take(UInt32.self) != nil
        else { return nil }
        return input.takeID()
    }
}
