// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "daybook",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [
        .library(name: "Daybook", targets: ["Daybook"]),
        .library(name: "DaybookOTLP", targets: ["DaybookOTLP"]),
        .library(name: "DaybookApple", targets: ["DaybookApple"]),
        .library(name: "DaybookDefinitions", targets: ["DaybookDefinitions"]),
        .library(name: "DaybookChecklist", targets: ["DaybookChecklist"]),
        .library(name: "DaybookInspector", targets: ["DaybookInspector"]),
        .library(name: "DaybookTesting", targets: ["DaybookTesting"]),
        .library(name: "DaybookStore", targets: ["DaybookStore"]),
        .library(name: "DaybookServer", targets: ["DaybookServer", "DaybookHTTP"]),
        .executable(name: "daybook", targets: ["DaybookCLI"]),
        .executable(name: "daybook-definitions", targets: ["daybook-definitions"]),
        .plugin(name: "DaybookDefinitionsPlugin", targets: ["DaybookDefinitionsPlugin"]),
        .plugin(name: "DaybookDictionaryPlugin", targets: ["DaybookDictionaryPlugin"]),
    ],
    targets: [
        // C libraries: a module map and a shim each. CChecksum and CThreadScope are our only C sources.
        .target(name: "CChecksum"),
        .target(name: "CThreadScope"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // What an app links.
        .target(name: "DaybookJournal", dependencies: ["CChecksum"]),
        .target(name: "Daybook", dependencies: ["DaybookJournal", "CThreadScope"]),
        .target(name: "DaybookOTLP", dependencies: ["Daybook", "CZlib"]),

        // Apple's system log, signposts, lifecycle and screens: the decisions build and are tested everywhere.
        .target(
            name: "DaybookApple", dependencies: ["Daybook", "DaybookHTTP", "DaybookJournal"],
            resources: [.copy("PrivacyInfo.xcprivacy")]),

        // Pure tools over text and records.
        .target(name: "DaybookDefinitions"),
        .target(name: "DaybookChecklist"),

        // Stores, screens and tests.
        .target(name: "DaybookHTTP"),
        .target(name: "DaybookStore", dependencies: ["Daybook", "DaybookChecklist", "CSQLite"]),
        .target(
            name: "DaybookInspector",
            dependencies: ["DaybookHTTP", "DaybookStore", "DaybookDefinitions", "DaybookChecklist"],
            exclude: ["Assets"],
            plugins: ["InspectorAssetsPlugin"]),
        .target(name: "DaybookTesting", dependencies: ["Daybook", "DaybookJournal", "DaybookChecklist"]),

        // The collector and its commands; never linked by an app.
        .target(
            name: "DaybookServer",
            dependencies: [
                "DaybookHTTP", .target(name: "CMicroHTTPD", condition: .when(platforms: [.macOS, .linux])),
            ]),
        .target(
            name: "DaybookCollector",
            dependencies: [
                "DaybookHTTP", "DaybookOTLP", "DaybookStore", "DaybookDefinitions", "DaybookChecklist",
                .target(name: "CPostgreSQL", condition: .when(platforms: [.macOS, .linux])),
                .target(name: "CCurl", condition: .when(platforms: [.macOS, .linux])),
            ]),
        .executableTarget(
            name: "DaybookCLI",
            dependencies: [
                "Daybook", "DaybookServer", "DaybookCollector", "DaybookInspector", "DaybookStore", "DaybookOTLP",
                "DaybookDefinitions", "DaybookChecklist", "DaybookJournal", "DaybookTesting",
            ]),
        .executableTarget(name: "daybook-definitions", dependencies: ["DaybookDefinitions"]),
        .executableTarget(name: "daybook-assets"),
        .plugin(name: "InspectorAssetsPlugin", capability: .buildTool(), dependencies: ["daybook-assets"]),
        .plugin(
            name: "DaybookDefinitionsPlugin", capability: .buildTool(), dependencies: ["daybook-definitions"]),
        .plugin(
            name: "DaybookDictionaryPlugin", capability: .buildTool(), dependencies: ["daybook-definitions"]),

        // Measures the collector from the inside; here, and not among the benchmarks' own package, for what apps do not see.
        .executableTarget(
            name: "IngestBenchmarks",
            dependencies: [
                "DaybookCollector", "DaybookOTLP", "DaybookStore", "DaybookTesting", "CSQLite",
                .target(name: "CPostgreSQL", condition: .when(platforms: [.macOS, .linux])),
            ],
            path: "Benchmarks/Ingest"),

        // Tests: a folder per module.
        .testTarget(name: "DaybookJournalTests", dependencies: ["DaybookJournal", "DaybookTesting"]),
        .testTarget(name: "DaybookTests", dependencies: ["Daybook", "DaybookTesting"]),
        .testTarget(name: "DaybookOTLPTests", dependencies: ["DaybookOTLP", "DaybookTesting"]),
        .testTarget(
            name: "DaybookDefinitionsTests", dependencies: ["DaybookDefinitions", "DaybookTesting"],
            exclude: ["Fixtures"]),
        .testTarget(name: "DaybookChecklistTests", dependencies: ["DaybookChecklist"], exclude: ["Fixtures"]),
        .executableTarget(name: "ProbeApp", dependencies: ["Daybook"], path: "Tests/DaybookTestingTests/ProbeApp"),
        .testTarget(
            name: "DaybookTestingTests", dependencies: ["DaybookTesting", "ProbeApp"], exclude: ["ProbeApp"]),
        .executableTarget(
            name: "InAppInspector", dependencies: ["DaybookApple", "DaybookInspector"],
            path: "Tests/DaybookAppleTests/InAppInspector"),
        .testTarget(
            name: "DaybookAppleTests",
            dependencies: [
                "DaybookApple", "DaybookInspector", "DaybookTesting", "daybook-definitions", "InAppInspector",
            ],
            exclude: ["Stubs", "InAppInspector"]),
        .testTarget(
            name: "DaybookStoreTests", dependencies: ["DaybookStore", "DaybookCollector", "DaybookTesting"]),
        .testTarget(name: "DaybookServerTests", dependencies: ["DaybookServer"]),
        .testTarget(name: "DaybookCollectorTests", dependencies: ["DaybookCollector", "DaybookTesting"]),
        .testTarget(name: "DaybookInspectorTests", dependencies: ["DaybookInspector", "daybook-assets"]),
        .executableTarget(
            name: "PairedPhone", dependencies: ["Daybook", "DaybookOTLP"], path: "Tests/DaybookCLITests/PairedPhone"),
        .executableTarget(
            name: "LossySender", dependencies: ["DaybookOTLP", "DaybookTesting"],
            path: "Tests/DaybookCLITests/LossySender"),
        .testTarget(
            name: "DaybookCLITests", dependencies: ["DaybookCLI", "DaybookTesting", "PairedPhone", "LossySender"],
            exclude: ["Mistakes", "PairedPhone", "LossySender"]),

        // The code in README and guides.
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["Daybook", "DaybookOTLP", "DaybookTesting", "daybook-definitions"]),

        // Processes that are killed while they log.
        .executableTarget(name: "CrashWriter", dependencies: ["Daybook"], path: "Tests/CrashTests/CrashWriter"),
        .testTarget(
            name: "CrashTests", dependencies: ["Daybook", "DaybookTesting", "CrashWriter"],
            path: "Tests/CrashTests/Tests"),
    ],
    swiftLanguageModes: [.v6]
)
