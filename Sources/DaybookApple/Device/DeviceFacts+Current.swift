#if canImport(UIKit)
    import Foundation
    import UIKit

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
                systemName: UIDevice.current.systemName, systemVersion: UIDevice.current.systemVersion,
                // The simulator tells the model that it stands for; `uname` would tell the Mac's.
                model: environment["SIMULATOR_MODEL_IDENTIFIER"] ?? machine,
                isSimulator: environment["SIMULATOR_UDID"] != nil)
        }

        /// `uname`'s machine.
        private static var machine: String? {
            var name = utsname()
            guard uname(&name) == 0 else { return nil }
            return withUnsafeBytes(of: &name.machine) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }
#endif
