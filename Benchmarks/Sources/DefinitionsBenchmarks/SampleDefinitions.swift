import Foundation

/// A large team's definitions, with prose in two languages and three columns per event.
struct SampleDefinitions {
    let files: Int
    var eventsInAFile = 20

    var events: Int { files * eventsInAFile }

    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in 0..<files {
            let events = (0..<eventsInAFile).map(Self.event).joined()
            try Data("# category_\(file)\n\nProse.\n\n\(events)".utf8)
                .write(to: folder.appending(path: "category_\(file).md"))
        }
    }

    private static func event(_ number: Int) -> String {
        """
        ## event_\(number)

        Sent when something happens. 何かが起きたとき。

        - keyword: !string 256
            - What was typed
        - order: SearchOrder
            - `latest`: 新着順
            - `popularity`: 人気順
        - recipe_id: !bigint?
            - レシピのID


        """
    }
}
