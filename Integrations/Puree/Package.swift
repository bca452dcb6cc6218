// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DaybookPuree",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookPuree", targets: ["DaybookPuree"])],
    dependencies: [
        .package(name: "daybook", path: "../.."),
        .package(url: "https://github.com/cookpad/Puree-Swift.git", from: "5.3.0"),
    ],
    targets: [
        .target(
            name: "DaybookPuree",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "Puree", package: "Puree-Swift"),
            ]),
        .testTarget(
            name: "DaybookPureeTests",
            dependencies: ["DaybookPuree", .product(name: "DaybookTesting", package: "daybook")]),
    ],
    swiftLanguageModes: [.v6]
)
