// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing measured beside Daybook becomes its dependency.
let package = Package(
    name: "daybook-benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "daybook", path: "..")],
    targets: [
        .target(name: "CLimit", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "DaybookBenchmarks",
            dependencies: [
                "CLimit", .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookOTLP", package: "daybook"),
                .product(name: "DaybookChecklist", package: "daybook"),
                .product(name: "DaybookHTTPServer", package: "daybook"),
                .product(name: "DaybookTesting", package: "daybook"),
            ]),
        // The cost of definitions in a build.
        .executableTarget(
            name: "DefinitionsBenchmarks",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookDefinitions", package: "daybook"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
