// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DaybookMetrics",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookMetrics", targets: ["DaybookMetrics"])],
    dependencies: [
        .package(name: "daybook", path: "../.."),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    ],
    targets: [
        .target(
            name: "DaybookMetrics",
            dependencies: [
                .product(name: "Daybook", package: "daybook"), .product(name: "CoreMetrics", package: "swift-metrics"),
            ]),
        .testTarget(
            name: "DaybookMetricsTests",
            dependencies: [
                "DaybookMetrics", .product(name: "DaybookTesting", package: "daybook"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
