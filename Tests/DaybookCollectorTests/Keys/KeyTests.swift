import Daybook
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

@Suite(.temporaryDirectory) struct KeyTests {
    private let directory = TemporaryDirectory.current

    /// FIPS 180-4's own examples.
    @Test(
        "Computes the published SHA-256 digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000),
                "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
            ),
        ]) func hashesWithSHA256(text: String, digest: String)
    {
        #expect(Hex.text(SHA256Digest.of(Array(text.utf8))) == digest)
    }

    /// As Python's `hashlib` says.
    @Test(
        "Computes the digests of lengths around a block",
        arguments: [
            (55, "943cc61860776ca8e78a365d988036ed2ade2ca4aca3236dd9501adc4fbbaa27"),
            (56, "849e6994b02d460680d1d4d9ed690aa35811c88056987e0b6cad0eb85cb7d98d"),
            (63, "4267755c91adbe48467358342d80bda027985cda840cea5aef936cdc0aa6138e"),
            (64, "6cfeeb3aa25d3f411dae5eec17d7369ca7153e72dcf54bcf4c3daec0f5b21fc7"),
            (65, "2fa7eeba09baebc8ecef6fcfd44a61d64619aefae0b51f724658aa6dc03e8424"),
            (119, "62f7b490eef6978ea4e047afde0cfd06b542157473c8911d06c787a4de76ef8e"),
            (120, "96a7c72dd059118dbff67391b9e719c6ea49d8985fbc1641fee363dcdee0f7e6"),
        ])
    func padsEveryLength(count: Int, digest: String) {
        #expect(Hex.text(SHA256Digest.of([UInt8](repeating: 7, count: count))) == digest)
    }

    @Test("The key file stores the hash but not the key") func fileHoldsOnlyHashes() throws {
        let path = directory.file("keys")
        let (key, stored) = makeKey(
            "ios \"beta\"", quota: .init(requestsPerMinute: 60, bytesPerMinute: nil, recordsPerMinute: 7))
        try KeyFile.change(path, creates: true) { $0.append(stored) }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains(key.text) && !text.contains(key.text.split(separator: "_")[2]))
        #expect(try KeyFile.read(path) == [stored])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test("Concurrent changes to the key file keep each other") func concurrentChangesMerge() async throws {
        let path = directory.path + "/keys"
        try await withThrowingTaskGroup { group in
            for number in 0..<16 {
                group.addTask {
                    let stored = makeKey("sender \(number)").1
                    try await offPool { try KeyFile.change(path, creates: true) { $0.append(stored) } }
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try KeyFile.read(path).map(\.name)) == Set((0..<16).map { "sender \($0)" }))
        #expect(throws: CancellationError.self) {
            try KeyFile.change(path) { keys in
                keys = []
                throw CancellationError()
            }
        }
        #expect(try KeyFile.read(path).count == 16)
    }

    @Test("Changing the key file keeps its permissions and symbolic link") func changeKeepsModeAndLink() throws {
        let (path, link) = (directory.path + "/keys", directory.path + "/link")
        try KeyFile.change(path, creates: true) { $0.append(makeKey("first").1) }
        chmod(path, 0o640)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "keys")
        try KeyFile.change(link) { $0.append(makeKey("second").1) }
        #expect(try KeyFile.read(path).map(\.name) == ["first", "second"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "keys")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o640)
    }

    /// The collector runs as another user than root, who adds the key.
    @Test("Changing the key file keeps its owner", .enabled(if: getuid() == 0, "only root gives files away"))
    func changeKeepsOwner() throws {
        let path = directory.path + "/keys"
        try KeyFile.change(path, creates: true) { $0.append(makeKey("first").1) }
        #expect(chown(path, 65_534, 65_534) == 0)
        try KeyFile.change(path) { $0.append(makeKey("second").1) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.ownerAccountID] as? NSNumber == 65_534)
        #expect(attributes[.groupOwnerAccountID] as? NSNumber == 65_534)
    }

    @Test(
        "An invalid line in the key file is reported and preserved",
        arguments: ["{", "{\"id\":\"a\"}", "[]", "null", "{\"id\":1}"])
    func locatesInvalidKey(line: String) throws {
        let path = directory.path + "/keys"
        let text = "# keys\n\n\(line)\n"
        try OwnedFile.replace(path, with: text)
        #expect { try KeyFile.read(path) } throws: { "\($0)".hasPrefix("\(path):3: ") }
        // A file that cannot be parsed completely is not rewritten.
        #expect { try KeyFile.change(path, creates: true) { $0.append(makeKey("new").1) } } throws: {
            "\($0)".hasPrefix("\(path):3: ")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    /// Whatever editor saved the file, its keys are found, and changing one leaves every other byte alone.
    @Test("Reads keys with any line ending or byte order mark", arguments: ["\n", "\r\n", "\r"], ["", "\u{FEFF}"])
    func readsKeyFileLineEndings(end: String, mark: String) throws {
        let path = directory.path + "/keys"
        let names = ["a", "b\u{2028}c", "d\te"]
        for name in names { try KeyFile.change(path, creates: true) { $0.append(makeKey(name).1) } }
        // A member that this version does not know, and someone's comment.
        let lines =
            TextLines.split(String(decoding: try OwnedFile.read(path) ?? [], as: UTF8.self)).dropLast()
            .map { $0.replacing(#""name":"a""#, with: #""later":[1],"name":"a""#) } + ["# Ann's", ""]
        try OwnedFile.replace(path, with: mark + lines.joined(separator: end))
        #expect(try KeyFile.read(path).map(\.name) == names)
        let first = try #require(try KeyFile.read(path).first)
        try KeyFile.change(path, creates: true) { $0.append(makeKey("new").1) }
        try KeyFile.change(path) { keys in keys.removeAll { $0.name == "d\te" } }
        #expect(try KeyFile.read(path).map(\.name) == ["a", "b\u{2028}c", "new"])
        #expect(try KeyFile.read(path).first == first)
        let text = String(decoding: try OwnedFile.read(path) ?? [], as: UTF8.self)
        #expect(text.contains(#""later":[1],"name":"a""#) && text.contains("# Ann's"))
        if end == "\r\n" { #expect(text.utf8.count { $0 == 0x0D } == text.utf8.count { $0 == 0x0A }) }
    }

    @Test("Rejects a key file with conflict markers", arguments: ["<<<<<<< HEAD", "=======", ">>>>>>> theirs"])
    func refusesConflictMarkers(marker: String)
        throws
    {
        let path = directory.path + "/keys"
        try KeyFile.change(path, creates: true) { $0.append(makeKey("first").1) }
        try OwnedFile.replace(
            path, with: "\(marker)\n" + String(decoding: try OwnedFile.read(path) ?? [], as: UTF8.self))
        #expect { try KeyFile.read(path) } throws: { "\($0)".contains("\(path):1: this is a conflict marker") }
    }

    /// Only revoking the last key writes a line that says there are none.
    @Test("Only revoking the last key marks the file as empty") func marksLastRevocation() throws {
        let path = directory.path + "/keys"
        try KeyFile.change(path, creates: true) { $0.append(makeKey("first").1) }
        #expect(try !KeyFile.contents(of: path).saysNone)
        try KeyFile.change(path) { $0 = [] }
        #expect(try KeyFile.contents(of: path).keys.isEmpty)
        #expect(try KeyFile.contents(of: path).saysNone)
        try KeyFile.change(path) { $0.append(makeKey("second").1) }
        #expect(try !KeyFile.contents(of: path).saysNone)
        for lost in ["", "# Keys\n", "\n\n"] {
            try OwnedFile.replace(path, with: lost)
            #expect(try KeyFile.contents(of: path).keys.isEmpty)
            #expect(try !KeyFile.contents(of: path).saysNone)
        }
    }

    @Test("Accepts only the exact key for its own purpose") func requiresExactKey() {
        let (key, stored) = makeKey("ios")
        let ring = KeyRing([stored])
        let last = key.text.last == "0" ? "1" : "0"
        for wrong in [
            "", "Bearer", "Bearer ", "Basic \(key.text)", key.text, "Bearer \(key.text.dropLast())",
            "Bearer \(key.text.dropLast())\(last)", "Bearer \(key.text)0", "Bearer \(key.id)", "Bearer dbk__",
            "Bearer \(key.text) \(key.text)",
        ] {
            if case .accepted = ring.judge(["Authorization": wrong], for: .ingest) { Issue.record("\(wrong) opens") }
        }
        let twice: HTTPHeaders = ["authorization": "Bearer \(key.text)", "Authorization": "Bearer \(key.text)"]
        if case .accepted = ring.judge(twice, for: .ingest) { Issue.record("two fields open") }
        guard case .accepted(stored) = ring.judge(["authorization": "bEaReR \(key.text)"], for: .ingest) else {
            Issue.record("the key does not open")
            return
        }
        guard case .otherPurpose = ring.judge(["authorization": "Bearer \(key.text)"], for: .metrics) else {
            Issue.record("the key opens what it is not for")
            return
        }
    }

    @Test("Refuses a revoked key") func refusesRevokedKey() {
        let (key, stored) = makeKey("ios")
        let ring = KeyRing([stored])
        ring.replace(with: [])
        if case .accepted = ring.judge(["authorization": "Bearer \(key.text)"], for: .ingest) { Issue.record("opens") }
    }

    @Test("A lent key sends records until it expires") func lentKeyExpires() {
        let time = Mutex<UInt64>(0)
        let (_, stored) = makeKey("ios")
        let ring = KeyRing([stored], clock: .init(wall: { 5 }, monotonic: { time.withLock { $0 } }))
        let (key, expires) = ring.lend(name: "pairing", for: .seconds(60))
        #expect(expires == 60_000_000_005)
        func opens(_ purpose: StoredKey.Purpose = .ingest) -> Bool {
            if case .accepted = ring.judge(["authorization": "Bearer \(key.text)"], for: purpose) {
                true
            } else {
                false
            }
        }
        #expect(opens())
        #expect(!opens(.metrics))
        // The file's keys change; the lent one stays.
        ring.replace(with: [])
        #expect(opens())
        time.withLock { $0 = 60_000_000_000 }
        #expect(!opens())
    }

    @Test("At most 100 keys are lent at once") func boundsLentKeys() {
        let ring = KeyRing([])
        let keys = (0..<101).map { ring.lend(name: "pairing", for: .seconds(Int64(60 + $0))).key }
        let open = keys.map { key in
            if case .accepted = ring.judge(["authorization": "Bearer \(key.text)"], for: .ingest) {
                true
            } else {
                false
            }
        }
        #expect(open == [false] + Array(repeating: true, count: 100))
    }

    @Test("A token bucket refills evenly and computes the wait") func tokenBucketRefills() {
        var bucket = TokenBucket(perMinute: 60, at: 0)
        for _ in 0..<60 {
            #expect(bucket.wait(for: 1, at: 0) == nil)
            bucket.take(1, at: 0)
        }
        #expect(bucket.wait(for: 1, at: 0) == .seconds(1))
        #expect(bucket.wait(for: 1, at: 500_000_000) == .seconds(0.5))
        #expect(bucket.wait(for: 1, at: 1_000_000_000) == nil)
        // An hour refills no more than a minute's worth.
        bucket.take(60, at: 3_600_000_000_000)
        #expect(bucket.wait(for: 1, at: 3_600_000_000_000) == .seconds(1))
    }
}

func makeKey(
    _ name: String, purpose: StoredKey.Purpose = .ingest, quota: KeyQuota = KeyQuota()
) -> (APIKey, StoredKey) {
    let key = APIKey()
    return (key, StoredKey(key, name: name, purpose: purpose, created: 1_000_000_000, quota: quota))
}
