import Daybook

/// Facts about the app, the system and the device of a launch.
///
/// ``resource`` uses the names of OpenTelemetry's semantic conventions (*Service*, *OS*, *Device*), for
/// `PipelineOptions.resource`. Nothing in it identifies a person or a device.
public struct DeviceFacts: Sendable, Hashable {
    public var bundleIdentifier: String?
    /// From the app's `Info.plist`.
    public var appName: String?
    public var appVersion: String?
    public var build: String?
    /// `iOS`, `iPadOS`, `macOS` …
    public var systemName: String?
    public var systemVersion: String?
    /// Such as `iPhone17,3`; in a simulator, the simulated model.
    public var model: String?
    public var isSimulator: Bool

    /// Creates facts, for tests; `current` has the device's.
    ///
    /// ```swift
    /// let facts = DeviceFacts(appVersion: "4.12.0", model: "iPhone15,2")
    /// var options = PipelineOptions()
    /// options.resource = facts.resource
    /// ```
    public init(
        bundleIdentifier: String? = nil, appName: String? = nil, appVersion: String? = nil, build: String? = nil,
        systemName: String? = nil, systemVersion: String? = nil, model: String? = nil, isSimulator: Bool = false
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.appName = appName
        self.appVersion = appVersion
        self.build = build
        self.systemName = systemName
        self.systemVersion = systemVersion
        self.model = model
        self.isSimulator = isSimulator
    }

    public var resource: Attributes {
        var resource: Attributes = ["device.manufacturer": "Apple"]
        let known: [(String, String?)] = [
            ("service.name", appName ?? bundleIdentifier), ("service.version", appVersion), ("app.build_id", build),
            ("app.bundle_id", bundleIdentifier), ("os.name", systemName), ("os.version", systemVersion),
            ("device.model.identifier", model),
        ]
        for case (let key, let text?) in known { resource[key] = .string(text) }
        if isSimulator { resource["device.simulator"] = true }
        return resource
    }
}

#if canImport(Darwin)
    import Foundation

    #if os(watchOS)
        import WatchKit
    #elseif canImport(UIKit)
        import UIKit
    #endif

    extension DeviceFacts {
        /// Of this launch.
        @MainActor public static var current: DeviceFacts {
            let info = Bundle.main.infoDictionary ?? [:]
            let environment = ProcessInfo.processInfo.environment
            return DeviceFacts(
                bundleIdentifier: Bundle.main.bundleIdentifier,
                appName: info["CFBundleName"] as? String,
                appVersion: info["CFBundleShortVersionString"] as? String,
                build: info["CFBundleVersion"] as? String,
                systemName: system.name, systemVersion: system.version,
                // `uname` would return the Mac's.
                model: environment["SIMULATOR_MODEL_IDENTIFIER"] ?? machine,
                isSimulator: environment["SIMULATOR_UDID"] != nil)
        }

        @MainActor private static var system: (name: String, version: String) {
            #if os(macOS)
                let version = ProcessInfo.processInfo.operatingSystemVersion
                let patch = version.patchVersion == 0 ? "" : ".\(version.patchVersion)"
                return ("macOS", "\(version.majorVersion).\(version.minorVersion)\(patch)")
            #elseif os(watchOS)
                return (WKInterfaceDevice.current().systemName, WKInterfaceDevice.current().systemVersion)
            #else
                return (UIDevice.current.systemName, UIDevice.current.systemVersion)
            #endif
        }

        /// Such as `iPhone17,3` or `Mac16,1`.
        private static var machine: String? {
            #if os(macOS)
                // `uname` names only the processor.
                var bytes = [UInt8](repeating: 0, count: 64)
                var count = bytes.count
                guard sysctlbyname("hw.model", &bytes, &count, nil, 0) == 0 else { return nil }
                return String(decoding: bytes.prefix(count).prefix { $0 != 0 }, as: UTF8.self)
            #else
                var name = utsname()
                guard uname(&name) == 0 else { return nil }
                return withUnsafeBytes(of: &name.machine) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
            #endif
        }
    }
#endif
