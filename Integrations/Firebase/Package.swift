// swift-tools-version: 6.2
import PackageDescription

// Firebase itself is the app's dependency: these outputs speak to it through protocols and closures that fit it as it is.
let package = Package(
    name: "DaybookFirebase",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookFirebase", targets: ["DaybookFirebase"])],
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        .target(name: "DaybookFirebase", dependencies: [.product(name: "Daybook", package: "daybook")]),
        // Firebase's classes as they are published, without what they do: the conformances are checked against them.
        .target(name: "PublishedFirebase", path: "Tests/PublishedFirebase"),
        .testTarget(
            name: "DaybookFirebaseTests",
            dependencies: [
                "DaybookFirebase", "PublishedFirebase", .product(name: "DaybookTesting", package: "daybook"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
