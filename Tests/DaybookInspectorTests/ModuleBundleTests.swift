import Testing

@testable import daybook_assets

@Suite struct ModuleBundleTests {
    @Test("Bundles each module once, after its imports") func bundlesInImportOrder() throws {
        let script = try ModuleBundle.script(
            from: "js/app.js",
            of: [
                (
                    "js/app.js",
                    "import { half } from \"./base/half.js\";\nimport words from \"./words.js\";\nstart(half, words);\n"
                ),
                (
                    "js/base/half.js",
                    "import words from \"../words.js\";\nexport function half() { return words.half; }\n"
                ),
                ("js/words.js", "export default {\n    half: \"half\",\n};\n"),
            ])
        let expected = """
            // js/words.js
            const module1 = (() => {
            const exported = {
                half: "half",
            };

            return { default: exported };
            })();

            // js/base/half.js
            const module2 = (() => {
            const { default: words } = module1;
            function half() { return words.half; }

            return { half };
            })();

            // js/app.js
            const module3 = (() => {
            const { half } = module2;
            const { default: words } = module1;
            start(half, words);

            })();

            """
        #expect(script == expected)
    }

    @Test("Supports importing a name under another name") func renamesImports() throws {
        let script = try ModuleBundle.script(
            from: "app.js",
            of: [
                ("app.js", "import { one, two as second } from \"./numbers.js\";"),
                ("numbers.js", "export const one = 1;\nexport async function two() {}\nexport class Three {}"),
            ])
        #expect(script.contains("const { one, two: second } = module1;"))
        #expect(script.contains("return { one, two, Three };"))
    }

    @Test(
        "Reports code that cannot be bundled with its line",
        arguments: [
            ("import \"./a.js\";", "app.js:1: not understood: import \"./a.js\";"),
            ("let a;\nexport { a };", "app.js:2: not understood: export { a };"),
            ("export let a = 1;", "app.js:1: not understood: export let a = 1;"),
            ("import { a } from \"./a.js\";", "app.js:1: there is no module a.js"),
            ("import { a } from \"./app.js\";", "app.js:1: the modules app.js → app.js import one another"),
        ])
    func locatesBundleErrors(text: String, start: String) {
        let failure = #expect(throws: AssetEmbedder.Failure.self) {
            try ModuleBundle.script(from: "app.js", of: [("app.js", text)])
        }
        #expect(failure?.description.hasPrefix(start) == true, "\(failure?.description ?? "")")
    }

    @Test("Leaves code that merely resembles an import unchanged") func keepsImportLookalikes() throws {
        let text = "importantThing();\nexports = 1;\n    import(path);"
        #expect(try ModuleBundle.script(from: "app.js", of: [("app.js", text)]).contains(text))
    }
}
