// swift-tools-version: 6.2
import PackageDescription

// Firebase is the app's dependency: these outputs use protocols and closures that it fits unchanged.
let package = Package(
    name: "DaybookFirebase",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookFirebase", targets: ["DaybookFirebase"])],
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        .target(name: "DaybookFirebase", dependencies: [.product(name: "Daybook", package: "daybook")]),
        // Firebase's published declarations, to check the conformances.
        .target(name: "PublishedFirebase", path: "Tests/PublishedFirebase"),
        .testTarget(
            name: "DaybookFirebaseTests",
            dependencies: [
                "DaybookFirebase", "PublishedFirebase", .product(name: "DaybookTesting", package: "daybook"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
