import DaybookTestTraits
import Foundation
import Testing

/// How `daybook compare` reports differences outside of columns.
@Suite(.temporaryDirectory) struct CompareCommandTests {
    private let tool = Tool()

    /// Two values for each part of a record that may differ, as members of its line.
    private static let parts: [(name: String, old: String, new: String, line: String)] = [
        ("level", #""level":"info""#, #""level":"error""#, #"  level = "error": 0 old, 1 new"#),
        ("kind", #""kind":"event""#, #""kind":"message""#, #"  kind = "event": 1 old, 0 new"#),
        ("message", #""message":"x""#, #""message":"y""#, #"  message = "x": 1 old, 0 new"#),
        ("context", #""context":{"p":1}"#, #""context":{"p":2,"q":1}"#, "  context.p = 1: 1 old, 0 new"),
    ]
    private static let title = "not compared: level, kind, message, context; --all compares them"

    /// A record with the old or the new value of each part.
    private static func record(_ tag: String, new: Int, without left: Int = 0) -> String {
        let members = parts.indices.filter { left >> $0 & 1 == 0 }.map { index in
            new >> index & 1 == 1 ? parts[index].new : parts[index].old
        }
        return #"{"tag":"\#(tag)","# + (members + [#""attributes":{"id":1}}"#]).joined(separator: ",") + "\n"
    }

    private func compare(_ old: String, _ new: String, _ words: String...) async throws -> Tool.Result {
        try tool.write(old, to: "old.ndjson")
        try tool.write(new, to: "new.ndjson")
        return try await tool.run(["compare", "old.ndjson", "new.ndjson"] + words)
    }

    @Test("Reports and counts the parts that are not compared", arguments: 0..<16) func reportsUncomparedParts(new: Int)
        async throws
    {
        let same = Self.record("a.same", new: 0)
        let (old, other) = (same + Self.record("a.b", new: 0), same + Self.record("a.b", new: new))
        let result = try await compare(old, other)
        let names = Self.parts.enumerated().map { index, part in
            part.name + (new >> index & 1 == 1 ? " (1 record differs)" : "")
        }
        #expect(result.status == 0)
        #expect(
            result.output
                == "2 of 2 events are the same\nnot compared: \(names.joined(separator: ", ")); --all compares them\n")
        let all = try await compare(old, other, "--all")
        #expect(all.status == (new == 0 ? 0 : 1), "\(all)")
        #expect(!all.output.contains("not compared"))
        for (index, part) in Self.parts.enumerated() {
            #expect(all.output.contains(part.line) == (new >> index & 1 == 1), "\(part.name): \(all.output)")
        }
    }

    @Test("A missing message or context is a difference, a default level is not", arguments: 1..<16)
    func missingTextDiffers(left: Int) async throws {
        // Without a level a record is info, and without a kind an event.
        let differs = left & 0b1100 != 0
        let (old, new) = (Self.record("a.b", new: 0), Self.record("a.b", new: 0, without: left))
        #expect(try await compare(old, new).output.contains("(1 record differs)") == differs)
        #expect(try await compare(old, new, "--all").status == (differs ? 1 : 0))
    }

    @Test("Counts each differing record once, only in otherwise equal events") func countsDifferencesOnce() async throws
    {
        let count = 5
        let old = (0..<count).map { _ in Self.record("a.b", new: 0) }.joined() + Self.record("a.gone", new: 0)
        let new = (0..<count).map { Self.record("a.b", new: $0 < 3 ? 0b1001 : 0) }.joined()
        let result = try await compare(old, new)
        #expect(result.status == 1)
        #expect(
            result.output == """
                ✗ a.gone: 1 old, 0 new
                1 of 2 events are the same
                not compared: level (3 records differ), kind, message, context (3 records differ); --all compares them

                """)
    }

    @Test("`compare` masks private context values") func compareMasksContext() async throws {
        func record(_ mail: String) -> String {
            #"{"tag":"a.b","context":{"user.mail":"\#(mail)","daybook.private":["user.mail"]}}"# + "\n"
        }
        let result = try await compare(record("ann@private.example"), record("bob@private.example"), "--all")
        #expect(result.status == 1 && !result.output.contains("@private.example"), "\(result)")
        let open = try await compare(
            record("ann@private.example"), record("bob@private.example"), "--all", "--show-private")
        #expect(open.output.contains("ann@private.example"), "\(open)")
    }
}
