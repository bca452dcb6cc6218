import Daybook
import DaybookApple
import Testing

@Suite struct SystemLogTests {
    private func record(_ kind: Kind, _ tag: String, _ level: Level = .info) -> Record {
        Record(time: 0, kind: kind, level: level, tag: tag)
    }

    @Test("Levels map to the system's log types") func levelsMapToSystem() {
        #expect(
            Level.allCases.map { SystemLogType($0) } == [.debug, .debug, .info, .standard, .error, .fault])
        // The values in `os/log.h`.
        #expect(SystemLogType.allCases.map(\.rawValue) == [0x00, 0x01, 0x02, 0x10, 0x11])
    }

    @Test("The system's default type is imported as info") func defaultIsNoWarning() {
        #expect(SystemLogType.allCases.map(\.importedLevel) == [.info, .info, .debug, .error, .fatal])
    }

    @Test("An event uses its category and a message its tag") func eventUsesCategory() {
        var categories = SystemLogCategories()
        #expect(categories.entry(of: record(.event, "recipe_search.search")).category == "recipe_search")
        #expect(categories.entry(of: record(.message, "app.lifecycle")).category == "app.lifecycle")
        #expect(categories.entry(of: record(.event, "launch")).category == "launch")
    }

    @Test("Module and file can be the subsystem and category") func placesByModuleAndFile() {
        var categories = SystemLogCategories(by: SystemLogPlace(subsystem: .module, category: .file))
        var message = record(.message, "app")
        message.file = "Menu/MenuLoader.swift"
        #expect(categories.entry(of: message) == .init(module: "Menu", category: "MenuLoader"))
        // Events have no source.
        #expect(categories.entry(of: record(.event, "menu.show")) == .init(category: "menu"))
        categories = SystemLogCategories(by: SystemLogPlace(subsystem: .module))
        #expect(categories.entry(of: message) == .init(module: "Menu", category: "app"))
    }

    @Test("The number of log categories is bounded") func categoriesAreBounded() {
        var categories = SystemLogCategories()
        let names = (0..<1_000).map { categories.entry(of: record(.message, "tag\($0)")) }
        #expect(Set(names).count == SystemLogCategories.limit + 1)
        #expect(names.last == SystemLogCategories.overflow)
        #expect(categories.entry(of: record(.message, "tag7")).category == "tag7")
    }

    @Test("Private columns are hidden in the system log") func hidesPrivateColumns() {
        var search = record(.event, "recipe_search.search")
        search.attributes = ["keyword": "egg", "page": 1]
        search.privateNames = ["keyword"]
        let text = SystemLogText(search, privacy: .asDefined)
        #expect(text.open.contains("page: 1"))
        #expect(!text.open.contains("egg"))
        #expect(text.hidden == "{\"keyword\":\"egg\"}")
    }

    @Test("Private columns are readable only in development and on request") func privateInDevelopment() {
        var search = record(.event, "recipe_search.search")
        search.attributes = ["keyword": "egg", "page": 1]
        search.privateNames = ["keyword"]
        let development = SystemLogText(search, privacy: .everythingInDevelopment, isDebugBuild: true)
        #expect(development.open.contains("egg") && development.hidden == nil, "\(development)")
        let release = SystemLogText(search, privacy: .everythingInDevelopment, isDebugBuild: false)
        #expect(release == SystemLogText(search, privacy: .asDefined))
    }

    @Test("Nothing is hidden if nothing is private") func hidesNothingPublic() {
        var message = record(.message, "app")
        message.message = "Ready"
        let text = SystemLogText(message, privacy: .asDefined)
        #expect(text.open == "app Ready")
        #expect(text.hidden == nil)
    }

    @Test("The tags-only setting hides texts and values") func tagsOnlyHidesText() {
        var message = record(.message, "app")
        message.message = "Hello Anna"
        let text = SystemLogText(message, privacy: .tagsOnly)
        #expect(text.open == "app")
        #expect(text.hidden == "app Hello Anna")
    }

    @Test("A system log line becomes a message under its subsystem") func importsSystemLine() {
        let entry = SystemLogEntry(
            time: 7, level: .error, subsystem: "com.apple.network", category: "tcp", sender: "libnetwork", text: "lost")
        #expect(entry.record.tag == "system.com.apple.network")
        #expect(entry.record.message == "lost")
        #expect(entry.record.attributes["oslog.category"] == "tcp")
        let plain = SystemLogEntry(time: 7, level: .info, subsystem: "", category: "", sender: "App", text: "NSLog")
        #expect(plain.record.tag == "system.App")
    }
}
