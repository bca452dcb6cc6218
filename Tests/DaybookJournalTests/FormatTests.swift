import CChecksum
import DaybookJournal
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Reads files by docs/formats/journal.md alone, without the library. What is pinned here may never change within
/// version 2.
@Suite(.temporaryDirectory) struct FormatTests {
    private let directory = TemporaryDirectory.current.subdirectory("journal")

    private func load(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name)))
    }

    private func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
        bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func text(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> String {
        String(decoding: bytes[offset..<offset + count], as: UTF8.self)
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func masked(_ parts: [UInt8]...) -> UInt64 {
        let crc = parts.reduce(UInt32(0)) { crc, part in
            part.withUnsafeBytes { daybook_crc32c_table(crc, $0.baseAddress, $0.count) }
        }
        return UInt64(((crc >> 15) | (crc << 17)) &+ 0xa282_ead8)
    }

    @Test("Files match the specified format") func filesMatchFormat() throws {
        let steered = SteeredSystem()
        let journal = Journal.open(
            directory: directory.path, outputs: ["first", "Second"], context: Array("context".utf8),
            options: smallOptions(), system: steered.system(boot: 0x0102))
        journal.append(mask: 2, flags: .record.union(FrameFlags(rawValue: 8)), payload: Array("payload".utf8))
        journal.updateContext(Array("changed".utf8))
        journal.sync()
        journal.advance("Second", to: 1)

        let name = "0000000000000001.segment"
        let live = try load(name)
        let header = Int(number(live, 16, 4))
        #expect(header == 192)
        // What was synced; the sync mark itself is only in the ring.
        let front = 2 * header + 320
        #expect(live.count == front + 2 * 64)
        #expect(text(live, 0, 8) == "DAYBOOKJ")
        #expect(number(live, 8, 2) == 2 && number(live, 10, 2) == 0)
        #expect(number(live, 12, 4) == masked(Array(live[0..<12]), Array(live[16..<header])))
        let salt = Array(live[24..<32])
        #expect(hex(live[32..<48]) == journal.identity.journal.description)
        #expect(number(live, 48, 8) == journal.identity.epoch)
        #expect(number(live, 56, 8) == 1 && number(live, 64, 8) == 0)
        #expect(number(live, 72, 8) == steered.now && number(live, 80, 8) == steered.now)
        #expect(hex(live[88..<104]) == String(repeating: "0", count: 29) + "102")
        #expect(number(live, 104, 4) == 1 && number(live, 108, 2) == 1)
        #expect(number(live, 110, 2) == 2 && number(live, 112, 4) == 7)
        #expect(number(live, 128, 2) == 5 && text(live, 130, 5) == "first")
        #expect(number(live, 135, 2) == 6 && text(live, 137, 6) == "Second" && text(live, 143, 7) == "context")
        #expect(live[header..<header + 320].allSatisfy { $0 == 0 })
        #expect(Array(live[(header + 320)..<front]) == Array(live[..<header]))

        let expected: [(payload: [UInt8], mask: UInt64, flags: UInt64, context: UInt64)] = [
            (Array("payload".utf8), 2, 1 | 8, 1), (Array("changed".utf8), 0, 1 << 8, 2),
            ([2, 0, 0, 0, 0, 0, 0, 0], 0, 1 << 9, 2),
        ]
        // The ring holds the same bytes, followed by the mark.
        let ring = try load("ring")
        let size: Int = 2 * (28 << 10) + (256 << 10)
        #expect(ring.count == size)
        for slot in [0, 28 << 10] {
            #expect(Array(ring[slot..<slot + header]) == Array(live[..<header]))
        }
        let frames = Array(ring[(56 << 10)...])
        #expect(Array(frames[..<128]) == Array(live[front...]))
        for (index, frame) in expected.enumerated() {
            let offset = 64 * index
            let length = 32 + frame.payload.count
            #expect(number(frames, offset, 4) == UInt64(length))
            #expect(
                number(frames, offset + 4, 4)
                    == masked(salt, Array(frames[offset..<offset + 4]), Array(frames[(offset + 8)..<(offset + length)]))
            )
            #expect(number(frames, offset + 8, 8) == UInt64(index + 1))
            #expect(number(frames, offset + 16, 8) == frame.mask)
            #expect(number(frames, offset + 24, 2) == frame.flags)
            #expect(number(frames, offset + 26, 2) == 1 && number(frames, offset + 28, 4) == frame.context)
            #expect(Array(frames[(offset + 32)..<(offset + length)]) == frame.payload)
        }
        #expect(number(frames, 3 * 64, 4) == 0)

        let cursor = try load("cursors/%53econd.cursor")
        #expect(cursor.count == 1024)
        // The first generation is the start at the head, the second the advance.
        let slot = Array(cursor[0..<512])
        #expect(text(slot, 0, 4) == "CURS")
        #expect(number(slot, 4, 4) == masked(Array(slot[0..<4]), Array(slot[8...])))
        #expect(number(slot, 8, 2) == 1 && number(slot, 10, 2) == 6)
        #expect(number(slot, 16, 8) == 2 && number(slot, 24, 8) == 1 && number(slot, 32, 8) == 0)
        #expect(text(slot, 64, 6) == "Second")

        let identity = try load("journal.id")
        #expect(identity.count == 32 && text(identity, 0, 4) == "DJID" && number(identity, 8, 4) == 1)
        #expect(number(identity, 4, 4) == masked(Array(identity[0..<4]), Array(identity[8...])))
        #expect(hex(identity[16...]) == journal.identity.journal.description)

        journal.close()
        let closed = try load(name)
        let end = front + 3 * 64
        #expect(closed.count == end + header && Array(closed[end...]) == Array(live[..<header]))
        let seal = Array(closed[header..<header + 320])
        #expect(text(seal, 0, 4) == "SEAL")
        #expect(number(seal, 4, 4) == masked(salt, Array(seal[0..<4]), Array(seal[8...])))
        #expect([8, 16, 24, 32, 40].map { number(seal, $0, 8) } == [UInt64(end), 3, 3, 1, 2])
        #expect(number(seal, 48, 4) == 0 && number(seal, 64, 4) == 0 && number(seal, 68, 4) == 1)
    }
}
