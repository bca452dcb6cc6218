import Daybook
import DaybookApple
import DaybookTesting
import Testing

@Suite struct UITestSupportTests {
    @Test("Launch arguments are parsed as UserDefaults parses them") func parsesLaunchArguments() {
        let arguments = LaunchArguments([
            "App", "-AppleLanguages", "(ja)", "-DaybookInspector", "NO", "-DaybookOpen", "/net", "-DaybookRecords",
            "YES",
        ])
        #expect(arguments.inspector == false)
        #expect(arguments.openedScreen == "/net")
        #expect(arguments.showsRecords)
    }

    @Test("Launch arguments that cannot be parsed are ignored") func ignoresBadArguments() {
        let nothing = LaunchArguments([
            "App", "-DaybookInspector", "perhaps", "-DaybookOpen", "javascript:", "-DaybookRecords",
        ])
        #expect(nothing == LaunchArguments([]))
        #expect(LaunchArguments(["-DaybookRecords", "NO", "-DaybookRecords", "YES"]).showsRecords)
    }

    @Test("The inspector is off in release builds unless the app asks") func inspectorOptIn() {
        let plain = LaunchArguments([])
        let on = LaunchArguments(["-DaybookInspector", "YES"])
        let off = LaunchArguments(["-DaybookInspector", "NO"])
        func isOn(_ isDebug: Bool, _ inRelease: Bool, _ arguments: LaunchArguments) -> Bool {
            InspectorSwitch(isDebugBuild: isDebug, inRelease: inRelease, arguments: arguments).isOn
        }
        #expect(isOn(true, false, plain))
        #expect(!isOn(true, false, off))
        #expect(!isOn(false, false, plain))
        #expect(!isOn(false, false, on))
        #expect(isOn(false, true, plain))
        #expect(!isOn(false, true, off))
    }

    @Test("Records show only for a test that asks, and in releases by opt-in") func recordsTextOptIn() {
        let asked = LaunchArguments(["-DaybookRecords", "YES"])
        func isThere(_ isDebug: Bool, _ inRelease: Bool, _ arguments: LaunchArguments) -> Bool {
            RecordsText.forUITest(isDebugBuild: isDebug, inRelease: inRelease, arguments: arguments) != nil
        }
        #expect(isThere(true, false, asked))
        #expect(!isThere(true, true, LaunchArguments([])))
        #expect(!isThere(false, false, asked))
        #expect(isThere(false, true, asked))
    }

    @Test("The text on the screen is judged as a recording") func screenTextIsJudged() throws {
        let records = RecordsText()
        let pipeline = try Pipeline(store: .memory()) { Route("**", to: records, timing: .inline) }
        for recipe in [7, 8] { pipeline.log().post("recipe_detail.show", ["recipe_id": .int(Int64(recipe))]) }
        try RecordedRecords(ndjson: records.text).expect("recipe_detail.show exactly 1 per recipe_id")
    }

    @Test("Records are shown as JSON lines until they are cleared") func recordsAreJSONLines() throws {
        let records = RecordsText()
        let pipeline = try Pipeline(store: .memory()) { Route("**", to: records, timing: .inline) }
        pipeline.log("app").info("Ready")
        pipeline.log().post("recipe.show", ["recipe_id": 42, "title": "卵\n焼き"])
        let lines = records.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[1].contains("\"tag\":\"recipe.show\""))
        #expect(lines[1].contains("\"recipe_id\":42"))
        records.clear()
        #expect(records.text.isEmpty)
    }

    @Test("The oldest records are dropped and counted") func dropsOldestRecords() throws {
        let records = RecordsText(bytes: 2_048)
        for number in 0..<1_000 {
            records.write(
                Record(time: 0, kind: .event, level: .info, tag: "a.b", attributes: ["n": .int(Int64(number))]))
        }
        let lines = records.text.split(separator: "\n")
        #expect(records.text.utf8.count < 2_048 + 512)
        #expect(lines.last?.contains("\"n\":999") == true)
        let first = try #require(lines.first)
        #expect(first.contains("daybook.records"))
        #expect(first.contains("\"gone\":\(1_000 - (lines.count - 1))"))
    }

    @Test("A record larger than the limit is kept alone") func keepsOversizedRecord() {
        let records = RecordsText(bytes: 1_024)
        let large = String(repeating: "x", count: 5_000)
        records.write(Record(time: 0, kind: .message, level: .info, tag: "a", message: "small"))
        records.write(Record(time: 0, kind: .message, level: .info, tag: "a", message: large))
        #expect(records.text.contains(large))
        #expect(!records.text.contains("small"))
    }
}
