import DaybookTestTraits
import Foundation
import Testing

@testable import DaybookCLI

@Suite(.temporaryDirectory) struct KeysCommandTests {
    private let tool = Tool()

    @Test("A key that does not send records cannot have a quota") func refusesUselessQuota() async throws {
        for purpose in ["metrics", "read", "manage"] {
            let refused = try await tool.run(
                "keys", "add", "--keys", "keys", "--for", purpose, "--requests-per-minute", "2", "ann")
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(
                refused.errors.hasPrefix(
                    "error: --requests-per-minute is for keys that send, and one made with --for \(purpose) does not\n"),
                "\(refused)")
        }
        #expect(!FileManager.default.fileExists(atPath: tool.directory.appending(path: "keys").path))
    }

    @Test("Revoking by name lists the matching key IDs") func revokeSuggestsIDs() async throws {
        var ids: [String] = []
        for _ in 0..<2 {
            let key = try await tool.run("keys", "add", "--keys", "keys", "ios-app").output
            ids.append(String(key.split(separator: "_")[1]))
        }
        let named = try await tool.run("keys", "revoke", "--keys", "keys", "ios-app")
        #expect(named.status == 1)
        #expect(
            named.errors == "keys has no key ios-app; a key is revoked by its ID, and those of this name are: "
                + "\(ids.joined(separator: ", "))\n")
        let unknown = try await tool.run("keys", "revoke", "--keys", "keys", "android")
        #expect(unknown.status == 1 && unknown.errors == "keys has no key android\n")
        #expect(try await tool.run("keys", "revoke", "--keys", "keys", ids[0]).status == 0)
    }

    @Test("The key commands report a missing folder") func namesMissingKeyFolder() async throws {
        for command in ["add", "revoke"] {
            let result = try await tool.run("keys", command, "--keys", "/nonexist/k", "ios-app")
            #expect(result.status == 2)
            #expect(result.errors == "error: /nonexist/k: the folder /nonexist does not exist; make it first\n")
        }
    }

    @Test("The help says what a manage key may do") func helpDescribesManageKeys() async throws {
        let words = try await tool.run("keys", "add", "--help").output.split { $0 == " " || $0 == "\n" }
        #expect(words.joined(separator: " ").contains("manage: what the inspector's token may"))
    }
}
