// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RecipeBox",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        // For the Xcode app in ../RecipeBoxApp.
        .library(name: "RecipeBoxEvents", targets: ["RecipeBoxEvents"]),
        .library(name: "RecipeBoxDictionary", targets: ["RecipeBoxDictionary"]),
    ],
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        // Typed events from LogDefinitions, in a module that several apps can share.
        .target(
            name: "RecipeBoxEvents", dependencies: [.product(name: "Daybook", package: "daybook")],
            plugins: [.plugin(name: "DaybookDefinitionsPlugin", package: "daybook")]),
        .executableTarget(
            name: "RecipeBox",
            dependencies: [
                "RecipeBoxEvents",
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookOTLP", package: "daybook"),
            ]),
        // Internal text about the logs, for builds with the inspector. The app does not link it.
        .target(
            name: "RecipeBoxDictionary", dependencies: [.product(name: "DaybookInspector", package: "daybook")],
            plugins: [.plugin(name: "DaybookDictionaryPlugin", package: "daybook")]),
        // The app's backend: a few recipes over HTTP.
        .executableTarget(
            name: "RecipeAPI", dependencies: [.product(name: "DaybookHTTPServer", package: "daybook")]),
        // The log tests, with the app in its own process.
        .testTarget(
            name: "RecipeBoxTests",
            dependencies: [
                "RecipeBox", "RecipeBoxDictionary", .product(name: "DaybookTesting", package: "daybook"),
                .product(name: "DaybookProcesses", package: "daybook"),
                .product(name: "DaybookChecklist", package: "daybook"),
            ],
            exclude: ["Content", "Fixtures"]),
        // What the Xcode app does, apart from its screens: the same files, so that their tests run here too.
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
