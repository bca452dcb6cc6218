// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DaybookSwiftLog",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookSwiftLog", targets: ["DaybookSwiftLog"])],
    dependencies: [
        .package(name: "daybook", path: "../.."),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.12.0"),
    ],
    targets: [
        .target(
            name: "DaybookSwiftLog",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "DaybookSwiftLogTests",
            dependencies: ["DaybookSwiftLog", .product(name: "DaybookTesting", package: "daybook")]),
        .executableTarget(name: "CompareHandlers", dependencies: ["DaybookSwiftLog"]),
    ],
    swiftLanguageModes: [.v6]
)
