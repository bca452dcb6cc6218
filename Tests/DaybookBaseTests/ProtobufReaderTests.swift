import Daybook
import Testing

@Suite struct ProtobufReaderTests {
    private func read<Result>(_ bytes: [UInt8], _ body: (inout ProtobufReader) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { buffer in
            var reader = ProtobufReader(buffer)
            return try body(&reader)
        }
    }

    @Test(
        "Reads varints of every length",
        arguments: [
            ([0], 0), ([1], 1), ([0x7F], 127), ([0x80, 1], 128), ([0xAC, 2], 300), ([0x80, 0x80, 0], 0),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], UInt64.max),
        ] as [([UInt8], UInt64)])
    func readsVarints(bytes: [UInt8], value: UInt64) throws {
        #expect(try read(bytes) { try $0.varint() } == value)
    }

    @Test(
        "Rejects truncated and overlong varints",
        arguments: [
            ([], .truncated), ([0x80], .truncated),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2], .badVarint),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0], .badVarint),
        ] as [([UInt8], ProtobufError.Reason)])
    func rejectsBadVarints(bytes: [UInt8], reason: ProtobufError.Reason) {
        let error = #expect(throws: ProtobufError.self) { try read(bytes) { try $0.varint() } }
        #expect(error?.reason == reason)
    }

    @Test("Rejects lengths beyond the end of the message") func rejectsLongLengths() {
        for bytes: [UInt8] in [[1], [5, 1, 2], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]] {
            #expect(throws: ProtobufError.self) { try read(bytes) { _ = try $0.bytes() } }
            #expect(throws: ProtobufError.self) { try read(bytes) { _ = try $0.message() } }
        }
        #expect(throws: ProtobufError.self) { try read([1, 2, 3, 4, 5, 6, 7]) { try $0.fixed64() } }
        #expect(throws: ProtobufError.self) { try read([1, 2, 3]) { try $0.fixed32() } }
    }

    @Test("An inner message cannot read past its end") func confinesInnerMessage() throws {
        // A one-byte message that starts a longer varint, followed by the rest of it.
        try read([0x0A, 1, 0x80, 0x01]) { reader in
            _ = try reader.nextField()
            var inner = try reader.message()
            let error = #expect(throws: ProtobufError.self) { try inner.varint() }
            #expect(error?.reason == .truncated && error?.offset == 2)
            #expect(reader.offset == 3)
        }
    }

    @Test("Skips unknown fields of every wire type") func skipsUnknownFields() throws {
        let fields: [[UInt8]] = [
            [0x08, 0x96, 1], [0x11, 1, 2, 3, 4, 5, 6, 7, 8], [0x1A, 2, 9, 9], [0x25, 1, 2, 3, 4],
            [0x2B, 0x08, 1, 0x33, 0x34, 0x2C],
        ]
        try read(Array(fields.joined()) + [0x78, 7]) { reader in
            for _ in fields {
                let field = try #require(try reader.nextField())
                try reader.skip(field)
            }
            #expect(try reader.nextField()?.number == 15)
            #expect(try reader.varint() == 7)
            #expect(try reader.nextField() == nil)
        }
    }

    @Test("Rejects malformed keys and groups") func rejectsBadKeys() {
        for bytes: [UInt8] in [[0x00], [0x06], [0x07], [0x0C], [0x0B, 0x14], [0x0B], [0x80, 0x80, 0x80, 0x80, 0x10]] {
            #expect(throws: ProtobufError.self) {
                try read(bytes) { reader in
                    while let field = try reader.nextField() { try reader.skip(field) }
                }
            }
        }
    }

    @Test("Repairs protobuf text that is not UTF-8") func repairsProtobufText() throws {
        #expect(try read([3, 0x61, 0xFF, 0x62]) { try $0.string() } == "a\u{FFFD}b")
    }
}
