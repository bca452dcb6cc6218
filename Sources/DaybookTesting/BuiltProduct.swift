import Foundation

/// Executables that were built together with the running tests.
public enum BuiltProduct {
    /// The executable called `name`, beside the test bundle.
    public static func url(_ name: String) -> URL {
        bundle.deletingLastPathComponent().appendingPathComponent(name)
    }

    private static var bundle: URL {
        #if canImport(Darwin)
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        #else
            // On Linux the test bundle is the running executable.
            URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        #endif
    }
}
