import Daybook
import DaybookApple
import DaybookOTLP
import Foundation

/// The app's one pipeline, and what Apple's systems have to do with it.
@MainActor final class AppLog {
    static let shared = AppLog()

    /// What a UI test reads; see `-DaybookRecords YES`.
    let records = RecordsText()
    let launch = LaunchArguments(ProcessInfo.processInfo.arguments)
    private let pipeline: Pipeline<CommonPayload>?
    private let hooks: LifecycleHooks?

    private init() {
        let device = DeviceFacts.current
        let subsystem = device.bundleIdentifier ?? "com.example.recipebox"
        var options = PipelineOptions()
        options.resource = device.resource
        options.reachability = PathReachability()
        let (records, showsRecords) = (records, launch.showsRecords)
        do {
            let pipeline = try Pipeline(
                directory: FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
                    .appending(path: "Logs"),
                context: CommonPayload(
                    appVersion: device.appVersion ?? "0", osVersion: device.systemVersion ?? "0",
                    deviceModel: device.model ?? "unknown", deviceKind: .phone, locale: Locale.current.identifier,
                    plan: .free),
                options: options
            ) {
                Redact.credentials
                Route("**", to: OSLogOutput(subsystem: subsystem))
                Route("**", to: SignpostOutput(subsystem: subsystem), timing: .inline)
                Route("**", to: ErrorBannerOutput(), level: .error)
                if showsRecords { Route("**", to: records, timing: .inline) }
                Route("**", to: OTLPOutput(endpoint: Self.collector))
            }
            Log.install(pipeline)
            self.pipeline = pipeline
            hooks = LifecycleHooks(pipeline)
        } catch {
            // Only a mistake in the routes above; the app goes on without its logs.
            assertionFailure("\(error)")
            pipeline = nil
            hooks = nil
        }
    }

    func signedIn(_ userID: Int64) { pipeline?.updateContext { $0.userId = userID } }

    /// Where `daybook serve` listens: on the same Mac, for a simulator. A device needs the Mac's name.
    private static let collector = URL(string: "http://127.0.0.1:4318") ?? URL(fileURLWithPath: "/")
}
