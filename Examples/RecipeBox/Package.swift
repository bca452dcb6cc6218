// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RecipeBox",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        // What the app for Xcode, in ../RecipeBoxApp, takes from here.
        .library(name: "RecipeBoxEvents", targets: ["RecipeBoxEvents"]),
        .library(name: "RecipeBoxDictionary", targets: ["RecipeBoxDictionary"]),
    ],
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        // Typed events from LogDefinitions: a module of their own, which several apps share.
        .target(
            name: "RecipeBoxEvents", dependencies: [.product(name: "Daybook", package: "daybook")],
            plugins: [.plugin(name: "DaybookDefinitionsPlugin", package: "daybook")]),
        // The app: real requests, one pipeline.
        .executableTarget(
            name: "RecipeBox",
            dependencies: [
                "RecipeBoxEvents",
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookOTLP", package: "daybook"),
            ]),
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
        // What the app for Xcode does, apart from its screens: the same files as there, so that they run here too.
        .testTarget(
            name: "SearchScreenTests",
            dependencies: [
                "RecipeBoxEvents", "RecipeBoxDictionary", .product(name: "Daybook", package: "daybook"),
                .product(name: "DaybookInspector", package: "daybook"),
                .product(name: "DaybookTesting", package: "daybook"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
