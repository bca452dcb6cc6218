import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import DaybookDefinitions

@Suite(.temporaryDirectory) struct KotlinGeneratorTests {
    private let folder = TemporaryDirectory.current.url

    /// The compiler and standard library that a Python package bundles.
    private static let jars: [String: String] = {
        let environment = packageRoot.appending(path: ".venv/lib").path
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: environment)) ?? []
        let jars = files.filter { $0.contains("/run_kotlin_kernel/jars/") }.map { environment + "/" + $0 }
        return ["kotlin-jupyter-kernel-", "kotlin-stdlib-"].reduce(into: [:]) { found, name in
            found[name] = jars.first { $0.contains("/jars/" + name) }
        }
    }()

    private static let hasCompiler =
        // A Mac without Java has a program of that name, which says so.
        jars.count == 2 && (try? ProcessResult.run(["java", "-version"]).status) == 0

    private func kotlinc(_ arguments: [String], against classes: [String] = [], in folder: URL) throws -> ProcessResult
    {
        let compiler = try #require(Self.jars["kotlin-jupyter-kernel-"])
        let library = try #require(Self.jars["kotlin-stdlib-"])
        return try ProcessResult.run(
            [
                "java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", "\(compiler):\(library)",
                "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect", "-cp",
                ([library] + classes).joined(separator: ":"),
            ] + arguments, in: folder)
    }

    private func output(of main: String, in folder: URL) throws -> String {
        let library = try #require(Self.jars["kotlin-stdlib-"])
        return try ProcessResult.run(["java", "-cp", "all.jar:\(library)", main], in: folder).output
    }

    @Test("The generated Kotlin equals its reference file") func kotlinMatchesReference() throws {
        try expect(
            KotlinGenerator(package: "com.example.log").generate(try referenceDefinitions()),
            equalsFixture: "Reference/expected.kt.txt")
    }

    @Test("Prose cannot end the Kotlin comment that holds it") func kotlinContainsProse() {
        let definitions = load(["a.md": "# a\n\n## x\n\nends */ here /* begins\n\n- n: !bigint\n  - a */ note\n"])
            .definitions
        let text = KotlinGenerator(package: "p").generate(definitions)
        #expect(!text.contains("ends */"))
        #expect(!text.contains("a */"))
        #expect(!text.contains("here /*"))
    }

    @Test("Any value becomes a Kotlin enum entry of its own") func valueBecomesEntry() {
        let entries = KotlinName.entries(["most_popular", "most-popular", "1st", "", "新着", "$\"\\"])
        #expect(entries.map(\.name) == ["MOST_POPULAR", "MOST_POPULAR_", "_1ST", "VALUE", "新着", "VALUE_"])
        #expect(KotlinName.literal("$\"\\\n新") == "\"\\$\\\"\\\\\\u000a\\u65b0\"")
    }

    /// One compilation for everything, because the compiler takes many seconds to start.
    @Test(
        "Generated Kotlin compiles, warns and sends through OpenTelemetry",
        .enabled(if: hasCompiler, "the Kotlin compiler or Java is not installed: run `make setup`"))
    func kotlinCompilesAndSends() throws {
        try writeEvents(to: folder)
        try writeRejectingEvents(to: folder)
        try writeKitchen(to: folder)
        try writeObsoleteColumns(to: folder)
        try writeDelivery(to: folder)
        let files = [
            "log.kt", "send.kt", "reject.kt", "over.kt", "kitchen.kt", "own.kt", "obsolete.kt", "old.kt",
            "delivery.kt",
            "deliver.kt",
        ]
        let sdk = try FileManager.default.contentsOfDirectory(atPath: fixtures.appending(path: "Kotlin/SDK").path)
        let api = (["Common.kt", "Logs.kt"] + sdk.sorted().map { "SDK/\($0)" }).map {
            fixtures.appending(path: "Kotlin/\($0)").path
        }
        let built = try kotlinc(files + api + ["-d", "all.jar"], in: folder)
        try #require(built.status == 0, "\(built.output.prefix(4000))")
        let warnings = built.output.split(separator: "\n").filter { $0.contains("old.kt:") }
        #expect(warnings.map { $0.contains("is obsolete") } == [true, true, true, true], "\(built.output)")
        #expect(
            try output(of: "com.example.log.SendKt", in: folder) == """
                INFO recipe_search.search screen=home keyword=卵か
                INFO recipe_search.search screen=home keyword=egg order=most_popular limit=2147483647 email=#11 user_id=7 app_version=1.0
                INFO recipe_search.tap_result screen=home recipe_id=42 on=2026-11-20 at=1970-01-01T00:00:00Z in=true user_id=7 app_version=1.0

                """)
        #expect(
            try output(of: "com.example.reject.OverKt", in: folder) == """
                INFO recipe_search.search screen=home daybook.rejected.keyword=too_long
                INFO recipe_search.search screen=home keyword=12345678

                """)
        // Nothing is removed before the collector has it.
        #expect(
            try output(of: "com.example.log.DeliverKt", in: folder) == """
                lost recipe_search.search screen=home keyword=egg https://logs.example/v1/logs Authorization: Bearer k
                false
                sent recipe_search.search screen=home keyword=egg https://logs.example/v1/logs Authorization: Bearer k
                sent recipe_search.search screen=home keyword=rice https://logs.example/v1/logs Authorization: Bearer k
                true
                true

                """)
        try folder.write("import obsolete.*\n\nfun f(log: EventLog) = log.post(A.Z)\n", to: "gone.kt")
        let failed = try kotlinc(["gone.kt", "-d", "gone"], against: ["all.jar"], in: folder)
        #expect(failed.status != 0)
        #expect(failed.output.contains("a.z is obsolete: Use x."), "\(failed.output)")
    }

    private func writeEvents(to folder: URL) throws {
        let send = """
            package com.example.log

            import io.opentelemetry.api.common.AttributeKey
            import io.opentelemetry.api.logs.*
            import java.time.*

            enum class Screen(override val logValue: String) : LogValue { HOME("home") }

            class Printing : Logger, LogRecordBuilder {
                var line = ""
                override fun logRecordBuilder() = this
                override fun setSeverity(severity: Severity): LogRecordBuilder { line = "$severity"; return this }
                override fun setEventName(eventName: String): LogRecordBuilder { line += " $eventName"; return this }
                override fun <T> setAttribute(key: AttributeKey<T>, value: T): LogRecordBuilder {
                    line += " ${key.key}=$value"
                    return this
                }
                override fun emit() = println(line)
            }

            fun main() {
                val log = EventLog(Printing(), null) { "#${it.length}" }
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "卵かけご飯"))
                log.context = CommonPayload(userId = 7, appVersion = "1.0")
                log.post(RecipeSearch.Search(
                    Screen.HOME, "egg", SearchOrder.MOST_POPULAR, limit = Int.MAX_VALUE, email = "a@b.example"))
                log.post(RecipeSearch.TapResult(
                    Screen.HOME, 42, LocalDate.of(2026, 11, 20), Instant.ofEpochSecond(0), `in` = true))
            }
            """
        try folder.write(KotlinGenerator(package: "com.example.log").generate(try referenceDefinitions()), to: "log.kt")
        try folder.write(send, to: "send.kt")
    }

    /// The class from the Android guide, and what it does without a network.
    private func writeDelivery(to folder: URL) throws {
        let guide = try String(contentsOf: packageRoot.appending(path: "docs/guides/android.md"), encoding: .utf8)
        let block = try #require(guide.firstMatch(of: /(?s)by KotlinGeneratorTests -->\n```kotlin\n(.*?)```/)).1
        try folder.write(String(block), to: "delivery.kt")
        let deliver = """
            package com.example.log

            import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter
            import java.io.File

            fun main() {
                val delivery = LogDelivery(File("logs"), "https://logs.example", "k")
                val log = EventLog(delivery.logger, null) { it }
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "egg"))
                OtlpHttpLogRecordExporter.isOffline = true
                println(delivery.send())
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "rice"))
                OtlpHttpLogRecordExporter.isOffline = false
                println(delivery.send())
                println(delivery.send())
                delivery.close()
            }
            """
        try folder.write(deliver, to: "deliver.kt")
    }

    private func writeRejectingEvents(to folder: URL) throws {
        let over = """
            package com.example.reject

            enum class Screen(override val logValue: String) : LogValue { HOME("home") }

            fun main() {
                val log = EventLog(com.example.log.Printing(), null) { it }
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "卵かけご飯"))
                log.post(RecipeSearch.Search(Screen.HOME, keyword = "12345678"))
            }
            """
        let generator = KotlinGenerator(package: "com.example.reject", overflow: .reject)
        try folder.write(generator.generate(try referenceDefinitions()), to: "reject.kt")
        try folder.write(over, to: "over.kt")
    }

    /// Every name and type that is hard to spell in Kotlin.
    private func writeKitchen(to folder: URL) throws {
        let definitions = try DefinitionsFolder.load(fixtures.appending(path: "Kitchen").path).0
        let types = SwiftTypes(definitions, options: SwiftOptions())
        let declared = Set(types.declared.map(\.name))
        let own = Set(definitions.columnSites.map(\.column.type).filter(\.isCustom).map(\.name)).subtracting(declared)
        let classes = own.sorted().map { "class \($0)(override val logValue: String) : LogValue\n" }
        try folder.write(KotlinGenerator(package: "kitchen").generate(definitions), to: "kitchen.kt")
        try folder.write("package kitchen\n" + classes.joined(), to: "own.kt")
    }

    private func writeObsoleteColumns(to folder: URL) throws {
        let files = [
            "a.md": "# a\n\n## x\n\n- n: !bigint\n- [obsolete] page: !smallint\n    - since 3.8\n- s: !string?\n"
                + "- [obsolete] old: Gone\n\n## y\n\n- [obsolete] page: !smallint\n\n## [obsolete] z\n\nUse x.\n"
        ]
        let old = """
            package obsolete
            fun use(log: EventLog) {
                log.post(A.X(1))
                log.post(A.X(1, "s"))
                log.post(A.X(1, page = 3))
                log.post(A.X(1, 3, "s", "gone"))
                log.post(A.X(1, old = "gone"))
                log.post(A.Y)
                log.post(A.Y(page = 3))
            }
            """
        try folder.write(KotlinGenerator(package: "obsolete").generate(load(files).definitions), to: "obsolete.kt")
        try folder.write(old, to: "old.kt")
    }
}
