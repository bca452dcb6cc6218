// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "RecipeBox",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        // The app: typed events from LogDefinitions, real requests, one pipeline.
        .executableTarget(
            name: "RecipeBox",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "DaybookOTLP", package: "daybook"),
            ],
            plugins: [.plugin(name: "DaybookDefinitionsPlugin", package: "daybook")]),
        // The app's own backend: a few recipes over HTTP.
        .executableTarget(
            name: "RecipeAPI", dependencies: [.product(name: "DaybookServer", package: "daybook")]),
    ],
    swiftLanguageModes: [.v6]
)
