import Testing

@testable import DaybookDefinitions

struct SpeedTests {
    /// Prints how long a large team's definitions take; the figure depends on the machine and on the kind of build.
    @Test func manyFilesAreCompiled() {
        let files = (0..<500).map { file in
            let events = (0..<20).map { event in
                """
                ## event_\(event)

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
            let text = "# category_\(file)\n\nProse.\n\n" + events.joined()
            return (path: "category_\(file).md", bytes: Array(text.utf8))
        }
        let clock = ContinuousClock()
        var definitions = Definitions()
        var diagnostics: [Diagnostic] = []
        var swift = ""
        let loading = clock.measure { (definitions, diagnostics) = Definitions.load(files) }
        let generating = clock.measure { swift = SwiftGenerator().generate(definitions) }
        #expect(diagnostics.isEmpty)
        #expect(definitions.categories.count == 500)
        print("500 files, 10,000 events: checked in \(loading), \(swift.utf8.count) bytes of Swift in \(generating)")
    }
}
