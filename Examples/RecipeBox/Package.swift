// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "RecipeBox",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "RecipeBoxDictionary", targets: ["RecipeBoxDictionary"])],
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        // The app: typed events from LogDefinitions, real requests, one pipeline.
        .executableTarget(
            name: "RecipeBox",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookOTLP", package: "daybook"),
            ],
            plugins: [.plugin(name: "DaybookDefinitionsPlugin", package: "daybook")]),
        // What the team wrote about the logs, for builds with the inspector. The app does not link it.
        .target(
            name: "RecipeBoxDictionary", dependencies: [.product(name: "DaybookInspector", package: "daybook")],
            plugins: [.plugin(name: "DaybookDictionaryPlugin", package: "daybook")]),
        // The app's own backend: a few recipes over HTTP.
        .executableTarget(
            name: "RecipeAPI", dependencies: [.product(name: "DaybookHTTPServer", package: "daybook")]),
        // The app's log tests: the app as its users have it, in a process of its own.
        .testTarget(
            name: "RecipeBoxTests",
            dependencies: [
                "RecipeBox", "RecipeBoxDictionary", .product(name: "DaybookTesting", package: "daybook"),
                .product(name: "DaybookProcesses", package: "daybook"),
                .product(name: "DaybookChecklist", package: "daybook"),
            ],
            exclude: ["Content", "Fixtures"]),
    ],
    swiftLanguageModes: [.v6]
)
