// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Whether this is a dependency named by URL or in a registry: an app meets nothing of the server then. SwiftPM and Xcode
/// check dependencies out into folders beside their `workspace-state.json`; a clone in a folder that happens to be called
/// `checkouts` has no such file beside it.
let isDependency: Bool = {
    let folder = Context.packageDirectory.split(separator: "/").map(String.init)
    // checkouts/NAME, registry/downloads/SCOPE/NAME/VERSION
    return [(["checkouts"], 1), (["registry", "downloads"], 3)].contains { place, depth in
        let parent = folder.dropLast(depth)
        let scratch = "/" + parent.dropLast(place.count).joined(separator: "/")
        return parent.suffix(place.count).elementsEqual(place)
            && FileManager.default.fileExists(atPath: scratch + "/workspace-state.json")
    }
}()

/// For what an app links: small code. What log calls run through is marked `@_optimize(speed)` or inlined. On Linux and
/// Android the linker leaves out what a program does not call, and functions that call no other keep no frame pointer, as
/// on Apple's platforms.
///
/// Functions that take closures are not copied for each closure: they are long, and a log call has its own copy by hand.
///
/// Of what debuggers are told, release builds keep files and lines, which crash reports need, and leave out types and
/// variables; nor does the compiler check its own intermediate code there: both only cost the app's developers time.
let linked: [SwiftSetting] = [
    .unsafeFlags(
        [
            "-Osize", "-Xfrontend", "-gline-tables-only", "-Xfrontend", "-disable-llvm-verify", "-Xllvm",
            "-sil-disable-pass=closure-specialize", "-Xllvm", "-sil-disable-pass=closure-specialization", "-Xllvm",
            "-sil-disable-pass=capture-prop",
        ],
        .when(configuration: .release)),
    .unsafeFlags(
        [
            "-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link", "-Xcc",
            "-momit-leaf-frame-pointer",
        ],
        .when(platforms: [.linux, .android], configuration: .release)),
]

/// For a module whose types nothing prints by looking into them: those of the journal are internal, and what an app prints
/// of the others describes itself. What could look into them keeps them all in the program.
let unseen: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release))
]

/// For what the plugins' tool is made of, where an app is built: the tool runs for milliseconds, and to optimize it costs
/// more than all that an app links, twice with SwiftPM on Linux, which builds it to plan and again to build.
let tool: [SwiftSetting] =
    isDependency
    ? [
        .unsafeFlags(["-Xfrontend", "-gline-tables-only", "-Xfrontend", "-disable-llvm-verify"]),
        .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release)),
    ] : []

/// What Apple asks of each module that uses certain of its API: `scripts/check-apple` tells which.
let privacy: [Resource] = [.copy("PrivacyInfo.xcprivacy")]

let package = Package(
    name: "daybook",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .visionOS(.v1), .watchOS(.v9)],
    products: [
        .library(name: "Daybook", targets: ["Daybook"]),
        .library(name: "DaybookOTLP", targets: ["DaybookOTLP"]),
        .library(name: "DaybookApple", targets: ["DaybookApple"]),
        .library(name: "DaybookBlackBox", targets: ["DaybookBlackBox"]),
        .library(name: "DaybookPuree", targets: ["DaybookPuree"]),
        .library(name: "DaybookDefinitions", targets: ["DaybookDefinitions"]),
        .library(name: "DaybookChecklist", targets: ["DaybookChecklist"]),
        .library(name: "DaybookInspector", targets: ["DaybookInspector"]),
        .library(name: "DaybookTesting", targets: ["DaybookTesting"]),
        .library(name: "DaybookProcesses", targets: ["DaybookProcesses"]),
        .library(name: "DaybookStore", targets: ["DaybookStore"]),
        .executable(name: "daybook-definitions", targets: ["daybook-definitions"]),
        .plugin(name: "DaybookDefinitionsPlugin", targets: ["DaybookDefinitionsPlugin"]),
        .plugin(name: "DaybookDictionaryPlugin", targets: ["DaybookDictionaryPlugin"]),
    ],
    targets: [
        // C libraries: a module map and a shim each. CChecksum, CSpawn, CStoreFile and CThreads are our only C sources.
        .target(name: "CChecksum"),
        .target(name: "CSpawn"),
        .target(name: "CStoreFile", dependencies: ["CSQLite"]),
        .target(name: "CThreads"),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // What all stand on, and what an app links.
        .target(name: "DaybookBase", dependencies: ["CThreads"], swiftSettings: linked),
        .target(
            name: "DaybookJournal", dependencies: ["DaybookBase", "CChecksum", "CThreads"], resources: privacy,
            swiftSettings: linked + unseen),
        // On Linux what an app sends goes through libcurl; Apple's platforms have URLSession.
        .target(
            name: "DaybookCurl",
            dependencies: ["DaybookBase", .target(name: "CCurl", condition: .when(platforms: [.macOS, .linux]))],
            swiftSettings: linked + unseen),
        .target(
            name: "Daybook",
            dependencies: [
                "DaybookBase", "DaybookJournal", "CThreads",
                .target(name: "DaybookCurl", condition: .when(platforms: [.linux])),
            ],
            resources: privacy,
            swiftSettings: linked + unseen),
        .target(name: "DaybookOTLP", dependencies: ["Daybook", "CZlib"], swiftSettings: linked + unseen),

        // What tools share that read records and journals: apps that only log do not link it.
        .target(
            name: "DaybookTools", dependencies: ["DaybookBase", "CThreads"], resources: privacy, swiftSettings: tool),

        // The signatures of other libraries, so that their callers need not change.
        .target(name: "DaybookBlackBox", dependencies: ["DaybookBase", "Daybook"]),
        .target(name: "DaybookPuree", dependencies: ["Daybook"]),

        // Apple's system log, signposts, lifecycle and screens: the decisions build and are tested everywhere.
        .target(
            name: "DaybookApple", dependencies: ["Daybook", "DaybookHTTP", "DaybookJournal"],
            resources: privacy),

        // Pure tools over text and records.
        .target(name: "DaybookDefinitions", dependencies: ["DaybookBase", "DaybookTools"], swiftSettings: tool),
        .target(name: "DaybookChecklist", dependencies: ["DaybookBase", "DaybookTools"]),

        // Stores, screens and tests.
        .target(name: "DaybookHTTP", dependencies: ["DaybookBase", "DaybookTools"]),
        .target(
            name: "DaybookStore",
            dependencies: [
                "DaybookBase", "DaybookTools", "DaybookDefinitions", "Daybook", "CChecksum", "CSQLite", "CStoreFile",
            ],
            resources: privacy),
        // Questions and answers as values: what is asked, not how it is sent.
        .target(
            name: "DaybookAPI",
            dependencies: [
                "DaybookBase", "DaybookTools", "DaybookHTTP", "DaybookStore", "DaybookDefinitions", "DaybookChecklist",
            ]),
        .target(
            name: "DaybookInspector",
            dependencies: [
                "DaybookBase", "DaybookTools", "DaybookHTTP", "DaybookStore", "DaybookDefinitions", "DaybookChecklist",
                "DaybookAPI",
            ],
            exclude: ["Assets"],
            resources: privacy,
            plugins: ["InspectorAssetsPlugin"]),
        .target(
            name: "DaybookTesting", dependencies: ["Daybook", "DaybookJournal", "DaybookChecklist", "DaybookTools"]),
        // Starts programs, which a phone does not: apart from what tests on a device link.
        .target(
            name: "DaybookProcesses",
            dependencies: ["DaybookBase", .target(name: "CSpawn", condition: .when(platforms: [.macOS, .linux]))]),

        .executableTarget(name: "daybook-definitions", dependencies: ["DaybookDefinitions"]),
        .executableTarget(name: "daybook-assets"),
        .plugin(name: "InspectorAssetsPlugin", capability: .buildTool(), dependencies: ["daybook-assets"]),
        .plugin(
            name: "DaybookDefinitionsPlugin", capability: .buildTool(), dependencies: ["daybook-definitions"]),
        .plugin(
            name: "DaybookDictionaryPlugin", capability: .buildTool(), dependencies: ["daybook-definitions"]),
    ],
    swiftLanguageModes: [.v6]
)

/// The server, the command, the benchmarks' parts within and the tests: what only a checkout of the repository builds.
if !isDependency {
    package.products += [
        .library(name: "DaybookHTTPServer", targets: ["DaybookHTTPServer", "DaybookHTTP"]),
        // Installed as `daybook`; that name beside the module `Daybook` would be one file where case does not count.
        .executable(name: "daybook-cli", targets: ["DaybookCLI"]),
    ]
    package.targets += [
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        // Homebrew links neither into its folder; the second is what libpq's description asks for.
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq", "openssl@3"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        // The collector, its databases and its commands; never linked by an app.
        .target(
            name: "DaybookHTTPServer",
            dependencies: [
                "DaybookBase", "DaybookTools", "DaybookHTTP",
                .target(name: "CMicroHTTPD", condition: .when(platforms: [.macOS, .linux])),
            ]),
        .target(
            name: "DaybookDatabases",
            dependencies: [
                "DaybookBase", "DaybookTools", "DaybookStore", "DaybookCurl",
                .target(name: "CPostgreSQL", condition: .when(platforms: [.macOS, .linux])),
            ]),
        .target(
            name: "DaybookCollector",
            dependencies: [
                "DaybookBase", "DaybookTools", "Daybook", "DaybookHTTP", "DaybookOTLP", "DaybookStore",
                "DaybookDatabases", "DaybookDefinitions", "DaybookChecklist", "DaybookAPI", "DaybookProcesses", "CZlib",
                .target(name: "CZstd", condition: .when(platforms: [.macOS, .linux])),
                .target(name: "CCrypto", condition: .when(platforms: [.linux])),
            ]),
        .executableTarget(
            name: "DaybookCLI",
            dependencies: [
                "Daybook", "DaybookAPI", "DaybookHTTPServer", "DaybookCollector", "DaybookDatabases",
                "DaybookInspector",
                "DaybookStore", "DaybookDefinitions", "DaybookChecklist", "DaybookJournal", "DaybookJournalInspection",
                "DaybookOTLP", "DaybookTools", "DaybookCurl", "CZlib",
            ]),
        .target(name: "DaybookJournalInspection", dependencies: ["DaybookJournal"]),

        // Measure from the inside what apps do not see; here, and not among the benchmarks' own package, for that reason.
        .executableTarget(
            name: "IngestBenchmarks",
            dependencies: [
                "DaybookAPI", "DaybookCollector", "DaybookDatabases", "DaybookOTLP", "DaybookRequests", "DaybookStore",
                "DaybookTools", "DaybookTrials", "CSQLite",
                .target(name: "CPostgreSQL", condition: .when(platforms: [.macOS, .linux])),
            ],
            path: "Benchmarks/Ingest"),
        .executableTarget(
            name: "Reliability",
            dependencies: [
                "DaybookAPI", "DaybookBase", "DaybookDatabases", "DaybookFuzzing", "DaybookOTLP", "DaybookSimulation",
                "DaybookStore", "DaybookTesting", "DaybookTrials", "CSQLite",
            ],
            path: "Benchmarks/Reliability"),

        // What tests of several modules stand on: engines, processes that are killed, disks that fail; OTLP requests, whole;
        // hostile inputs.
        .target(
            name: "DaybookTrials",
            dependencies: [
                "Daybook", "DaybookJournal", "DaybookJournalInspection", "DaybookProcesses", "DaybookTesting",
            ],
            path: "Tests/Support/DaybookTrials"),
        // What only tests may link: a program of benchmarks lacks Swift Testing.
        .target(
            name: "DaybookTestTraits", dependencies: ["DaybookTesting"], path: "Tests/Support/DaybookTestTraits"),
        .target(
            name: "DaybookRequests", dependencies: ["DaybookBase", "DaybookOTLP", "DaybookCollector"],
            path: "Tests/Support/DaybookRequests"),

        .target(
            name: "DaybookFuzzing",
            dependencies: [
                "DaybookBase", "DaybookChecklist", "DaybookCollector", "DaybookDefinitions", "DaybookHTTP",
                "DaybookHTTPServer", "DaybookJournal", "DaybookOTLP", "DaybookProcesses", "DaybookRequests",
                "DaybookStore", "DaybookTools", "DaybookTrials",
                "CSQLite",
            ],
            path: "Tests/Support/DaybookFuzzing"),

        // A world of clients, a collector and whoever uses and attacks it, by a seed.
        .target(
            name: "DaybookSimulation",
            dependencies: [
                "Daybook", "DaybookBase", "DaybookChecklist", "DaybookCollector", "DaybookDefinitions", "DaybookHTTP",
                "DaybookInspector", "DaybookJournal", "DaybookOTLP", "DaybookRequests", "DaybookStore",
                "DaybookTesting", "DaybookTools", "DaybookTrials", "CSQLite",
            ],
            path: "Tests/Support/DaybookSimulation"),

        // Tests: a folder per module.
        .testTarget(name: "DaybookBaseTests", dependencies: ["DaybookBase", "Daybook", "DaybookTrials"]),
        .testTarget(
            name: "DaybookToolsTests",
            dependencies: ["DaybookTestTraits", "DaybookTesting", "DaybookTools", "DaybookTrials"]),
        .testTarget(
            name: "DaybookJournalTests",
            dependencies: [
                "DaybookJournal", "DaybookJournalInspection", "DaybookTestTraits", "DaybookTesting", "DaybookTrials",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "DaybookTests",
            dependencies: ["Daybook", "DaybookCurl", "DaybookTestTraits", "DaybookTesting", "DaybookTrials"]),
        .testTarget(
            name: "DaybookOTLPTests",
            dependencies: ["DaybookOTLP", "DaybookRequests", "DaybookTestTraits", "DaybookTesting", "DaybookTrials"]),
        .testTarget(
            name: "DaybookBlackBoxTests",
            dependencies: ["DaybookBlackBox", "DaybookTestTraits", "DaybookTesting", "DaybookTrials"]),
        .testTarget(name: "DaybookPureeTests", dependencies: ["DaybookPuree", "DaybookTesting"]),
        .testTarget(
            name: "DaybookDefinitionsTests",
            dependencies: [
                "DaybookDefinitions", "DaybookProcesses", "DaybookTestTraits", "DaybookTesting", "DaybookTrials",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "DaybookChecklistTests", dependencies: ["DaybookChecklist", "DaybookTrials"], exclude: ["Fixtures"]),
        .executableTarget(name: "ProbeApp", dependencies: ["Daybook"], path: "Tests/DaybookTestingTests/ProbeApp"),
        .testTarget(
            name: "DaybookTestingTests",
            dependencies: ["DaybookProcesses", "DaybookTestTraits", "DaybookTesting", "DaybookTrials", "ProbeApp"],
            exclude: ["ProbeApp"]),
        .executableTarget(
            name: "InAppInspector", dependencies: ["DaybookApple", "DaybookInspector"],
            path: "Tests/DaybookAppleTests/InAppInspector"),
        .testTarget(
            name: "DaybookAppleTests",
            dependencies: [
                "DaybookApple", "DaybookInspector", "DaybookProcesses", "DaybookTestTraits", "DaybookTesting",
                "DaybookTrials", "InAppInspector",
            ],
            exclude: ["Stubs", "InAppInspector"]),
        .testTarget(
            name: "DaybookStoreTests",
            dependencies: [
                "DaybookStore", "DaybookAPI", "DaybookDatabases", "DaybookCollector", "DaybookInspector",
                "DaybookTestTraits", "DaybookTesting", "DaybookTrials", "CStoreFile",
            ],
            exclude: ["Fixtures"]),
        .testTarget(name: "DaybookAPITests", dependencies: ["DaybookAPI", "DaybookCollector"]),
        .testTarget(name: "DaybookHTTPServerTests", dependencies: ["DaybookHTTPServer", "DaybookTrials"]),
        .testTarget(
            name: "DaybookCollectorTests",
            dependencies: [
                "DaybookCollector", "DaybookRequests", "DaybookTestTraits", "DaybookTesting", "DaybookTrials",
            ]),
        .testTarget(
            name: "DaybookInspectorTests",
            dependencies: [
                "DaybookInspector", "DaybookAPI", "Daybook", "DaybookHTTP", "DaybookTestTraits", "DaybookTesting",
                "DaybookTools", "DaybookTrials", "daybook-assets",
            ]),
        .executableTarget(
            name: "PairedPhone", dependencies: ["Daybook", "DaybookOTLP"], path: "Tests/DaybookCLITests/PairedPhone"),
        .executableTarget(
            name: "LossySender", dependencies: ["DaybookOTLP", "DaybookTrials"],
            path: "Tests/DaybookCLITests/LossySender"),
        .testTarget(
            name: "DaybookCLITests",
            dependencies: [
                "DaybookCLI", "DaybookCurl", "DaybookProcesses", "DaybookTestTraits", "DaybookTesting", "DaybookTrials",
                "PairedPhone", "LossySender",
            ],
            exclude: ["Mistakes", "PairedPhone", "LossySender"]),

        .testTarget(
            name: "DaybookFuzzingTests",
            dependencies: ["DaybookFuzzing", "DaybookStore", "DaybookTestTraits", "DaybookTesting", "DaybookTrials"]),

        .testTarget(name: "DaybookSimulationTests", dependencies: ["DaybookSimulation", "DaybookTrials"]),

        // The code in README and guides.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Daybook", "DaybookBlackBox", "DaybookInspector", "DaybookOTLP", "DaybookProcesses", "DaybookPuree",
                "DaybookTestTraits", "DaybookTesting", "DaybookTrials", "daybook-definitions",
            ]),

        // Processes that are killed while they log.
        .executableTarget(name: "CrashWriter", dependencies: ["Daybook"], path: "Tests/CrashTests/CrashWriter"),
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "Daybook", "DaybookProcesses", "DaybookTestTraits", "DaybookTesting", "DaybookTrials", "CrashWriter",
            ],
            path: "Tests/CrashTests/Tests"),
    ]
}
