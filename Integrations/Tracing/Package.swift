// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DaybookTracing",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "DaybookTracing", targets: ["DaybookTracing"])],
    dependencies: [
        .package(name: "daybook", path: "../.."),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-service-context.git", from: "1.2.0"),
    ],
    targets: [
        .target(
            name: "DaybookTracing",
            dependencies: [
                .product(name: "Daybook", package: "daybook"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceContextModule", package: "swift-service-context"),
            ]),
        .testTarget(
            name: "DaybookTracingTests",
            dependencies: ["DaybookTracing", .product(name: "DaybookTesting", package: "daybook")]),
    ],
    swiftLanguageModes: [.v6]
)
