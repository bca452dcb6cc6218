// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DaybookPureeShadow",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookPureeShadow", targets: ["DaybookPureeShadow"])],
    dependencies: [
        .package(name: "daybook", path: "../.."),
        .package(url: "https://github.com/cookpad/Puree-Swift.git", from: "5.3.0"),
    ],
    targets: [
        .target(
            name: "DaybookPureeShadow",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "Puree", package: "Puree-Swift"),
            ]),
        .testTarget(
            name: "DaybookPureeShadowTests",
            dependencies: ["DaybookPureeShadow", .product(name: "DaybookTesting", package: "daybook")]),
    ],
    swiftLanguageModes: [.v6]
)
