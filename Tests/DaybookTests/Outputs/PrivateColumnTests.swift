import DaybookBase
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct PrivateColumnTests {
    private let directory = TemporaryDirectory.current

    private struct Saved: LogEvent {
        static let saved = EventDescriptor("recipe.saved", private: ["folder", "note"])
        var descriptor: EventDescriptor { Self.saved }
        func encode(into fields: inout FieldEncoder) {
            fields.add("folder", "for mother")
            fields.add("note", nil as String?)
            fields.add("recipe_id", 42)
        }
    }

    private struct Common: LogContext {
        static let privateColumns = ["user_id"]
        func encode(into fields: inout FieldEncoder) {
            fields.add("user_id", 7)
            fields.add("plan", "free")
        }
    }

    private final class Texts: Output {
        let id: String
        let format: TextFormat
        let lines = Mutex<[String]>([])
        init(_ id: String, _ format: TextFormat) {
            self.id = id
            self.format = format
        }
        func write(_ record: Record) { lines.withLock { $0.append(format.text(of: record)) } }
        var all: String { lines.withLock { $0.joined(separator: "\n") } }
    }

    private func recorded(
        @PipelineBuilder filters: () -> [PipelineBuilder.Part] = { [] }
    ) async throws -> (texts: [Texts], delivered: [Record]) {
        var line = TextFormat.line
        line.showsContext = true
        var pretty = TextFormat.multiline
        pretty.showsContext = true
        let texts = [Texts("line", line), Texts("pretty", pretty), Texts("json", .json), Texts("inline", .line)]
        let output = CollectingOutput()
        let parts = filters()
        let pipeline = try Pipeline(store: .memory(), context: Common(), options: quietOptions()) {
            for part in parts { part }
            for text in texts.dropLast() { Route("**", to: text) }
            Route("**", to: texts[3], timing: .inline)
            Route("**", to: output)
        }
        pipeline.log().post(Saved())
        await pipeline.shutdown(deadline: .seconds(60))
        return (texts, output.records)
    }

    private struct SignedUp: LogEvent {
        static let signedUp = EventDescriptor("user.sign_up")
        var descriptor: EventDescriptor { Self.signedUp }
        func encode(into fields: inout FieldEncoder) {
            fields.addSensitive("mail", "ann@private.example")
            fields.add("plan", "free-of-charge")
        }
    }

    @Test("Sensitive values reach neither the disk nor an output") func sensitiveNeverStored() async throws {
        let output = CollectingOutput()
        let (journal, copy) = (directory.subdirectory("journal").url, directory.subdirectory("copy").url)
        let pipeline = try Pipeline(directory: journal, options: quietOptions()) { Route("**", to: output) }
        for _ in 1...2 { pipeline.log().post(SignedUp()) }
        try await pipeline.flush(deadline: .seconds(60))
        try await snapshot(of: journal, to: copy)
        func isOnDisk(_ text: String) throws -> Bool {
            try FileManager.default.contentsOfDirectory(at: copy, includingPropertiesForKeys: nil)
                .filter { !$0.hasDirectoryPath }
                .contains { try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil }
        }
        // Proves that the search can find text.
        #expect(try isOnDisk("free-of-charge"))
        #expect(try !isOnDisk("ann@private"))
        await pipeline.shutdown(deadline: .seconds(60))
        let hashes = output.records.compactMap { $0.attributes["mail"]?.text }
        #expect(hashes.count == 2 && Set(hashes).count == 1 && hashes[0].utf8.count == 32, "\(hashes)")
    }

    @Test("Private values are masked in text and delivered in full") func privateMaskedInText() async throws {
        let (texts, delivered) = try await recorded()
        for text in texts {
            #expect(text.all.contains("[private]"), "\(text.id)")
            #expect(!text.all.contains("for mother"), "\(text.id)")
            #expect(text.all.contains("42"), "\(text.id)")
            #expect(!text.all.contains("daybook.private"), "\(text.id)")
        }
        #expect(
            texts[0].all.hasSuffix(
                #"{folder: "[private]", recipe_id: 42, user_id: "[private]", plan: "free", session.id: "\#(delivered[0].context["session.id"]?.text ?? "")"}"#
            ))
        #expect(delivered.map(\.attributes) == [["folder": "for mother", "recipe_id": 42]])
        #expect(delivered.first?.context["user_id"] == 7)
        #expect(delivered.first?.privateNames == ["folder", "note", "user_id"])
    }

    @Test("A record stays private after a filter changes its tag") func rewriteKeepsPrivacy() async throws {
        let (texts, delivered) = try await recorded { Map("recipe.*") { record, _ in record.tag = "other.tag" } }
        #expect(delivered.map(\.tag) == ["other.tag"])
        for text in texts { #expect(!text.all.contains("for mother") && text.all.contains("[private]"), "\(text.id)") }
    }

    @Test("A text format can opt in to private values, but not JSON") func developerCanShowPrivate() {
        var record = Record(time: 0, kind: .event, level: .info, tag: "a.b", attributes: ["folder": "mine", "n": nil])
        record.privateNames = ["folder", "n"]
        var format = TextFormat.line
        #expect(format.text(of: record).hasSuffix(#"{folder: "[private]", n: null}"#))
        format.showsPrivate = true
        #expect(format.text(of: record).hasSuffix(#"{folder: "mine", n: null}"#))
        format = .json
        #expect(!format.text(of: record).contains("mine"))
    }

    @Test("An event without private columns is encoded without their overhead") func noPrivateNoCost() {
        #expect(
            EventDescriptor("a.b").constants.count + 40
                < EventDescriptor("a.b", private: ["folder_name_of_user"]).constants.count)
    }
}
