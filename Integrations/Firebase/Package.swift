// swift-tools-version: 6.1
import PackageDescription

// Firebase itself is the app's dependency: these outputs speak to it through two protocols that it satisfies as it is.
let package = Package(
    name: "DaybookFirebase",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookFirebase", targets: ["DaybookFirebase"])],
    dependencies: [.package(name: "daybook", path: "../..")],
    targets: [
        .target(name: "DaybookFirebase", dependencies: [.product(name: "Daybook", package: "daybook")]),
        .testTarget(
            name: "DaybookFirebaseTests",
            dependencies: ["DaybookFirebase", .product(name: "DaybookTesting", package: "daybook")]),
    ],
    swiftLanguageModes: [.v6]
)
