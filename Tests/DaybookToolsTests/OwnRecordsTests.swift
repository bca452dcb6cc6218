import DaybookTools
import Foundation
import Testing

@Suite struct OwnRecordsTests {
    /// A checklist refuses other tags of this family, so the list must be complete.
    @Test("Every tag that the sources emit is listed") func listsOwnTags() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var given: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/(?:event\(\s*|[tT]ag: |[tT]ag = )"(daybook\.[a-z._]+)"/#) {
                given.insert(String(match.1))
            }
        }
        // A line of the device's own view, which no record has.
        given.remove("daybook.records")
        #expect(given == Set(OwnRecords.tags))
    }
}
