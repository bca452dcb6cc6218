import DaybookCollector
import DaybookTestTraits
import DaybookTesting
import DaybookTools
import Foundation
import Testing

@testable import DaybookCLI

@Suite(.temporaryDirectory) struct KeyFileWatchTests {
    private let directory = TemporaryDirectory.current

    /// A file that loses its keys revokes none; the line written when the last is revoked revokes all.
    @Test(
        "Keys stay valid when the key file loses them by accident",
        arguments: [
            "", "\n", "# Keys of a Daybook collector\r\n", "# a\n\n  \n", "<<<<<<< HEAD\n", "{\n", "\u{FEFF}",
        ])
    func keepsKeysOfEmptiedFile(text: String) throws {
        let path = directory.path + "/keys"
        let key = APIKey()
        try KeyFile.change(path, creates: true) {
            $0.append(StoredKey(key, name: "ios", purpose: .ingest, created: 0, quota: KeyQuota()))
        }
        var watch = try KeyFileWatch(path: path)
        #expect(try !watch.readIfChanged())
        try OwnedFile.replace(path, with: text)
        #expect { try watch.readIfChanged() } throws: { "\($0)".hasPrefix(path) }
        #expect(!watch.ring.isEmpty)
        // Reported once.
        #expect(try !watch.readIfChanged())
        try OwnedFile.replace(path, with: text.hasPrefix("#") ? text + KeyFile.hasNone + "\n" : KeyFile.hasNone)
        #expect(try watch.readIfChanged())
        #expect(watch.ring.isEmpty)
    }
}
