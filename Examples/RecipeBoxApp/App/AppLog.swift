import Daybook
import DaybookApple
import DaybookInspector
import DaybookOTLP
import Foundation
import RecipeBoxEvents

/// The app's one pipeline, connected to Apple's systems.
@MainActor final class AppLog {
    static let shared = AppLog()

    /// The records that a UI test reads from the screen, if it launched the app with `-DaybookRecords YES`.
    let records = RecordsText.forUITest()
    private var hooks: LifecycleHooks?
    private var reports: DiagnosticReports?
    /// Opened by a shake, in debug builds.
    private(set) var inspector: InspectorStore?
    private var pipeline: Pipeline<CommonPayload>?

    private init() {
        do {
            try start()
        } catch {
            // A mistake in the routes below, or no place for the inspector's store. The app goes on without logs.
            assertionFailure("\(error)")
        }
    }

    private func start() throws {
        let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        let device = DeviceFacts.current
        let subsystem = device.bundleIdentifier ?? "com.example.recipebox"
        var options = PipelineOptions()
        options.resource = device.resource
        options.conditions = DeviceConditions()
        let kept = try LogDictionary.inThisBuild.map { try InspectorStore(in: folder, dictionary: $0) }
        let pipeline = try Pipeline(
            store: .directory(folder.appending(path: "Logs"), files: AppleFiles.system()),
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
            if let kept { Route("**", to: kept.output, batch: BatchLimits(delay: .milliseconds(250))) }
            // Where a test launched the app its records go to the test, and to no server.
            if let probe = Route.toProbe() {
                probe
            } else if let records {
                Route("**", to: records, timing: .inline)
            } else {
                Route("**", to: OTLPOutput(endpoint: Self.collector))
            }
        }
        Log.install(pipeline)
        self.pipeline = pipeline
        hooks = LifecycleHooks(pipeline)
        reports = DiagnosticReports(pipeline, directory: folder)
        inspector = kept
    }

    func signedIn(_ userID: Int64) { pipeline?.updateContext { $0.userId = userID } }

    /// Where `daybook serve` listens for a simulator on the same Mac. A device needs the Mac's name.
    private static let collector = URL(string: "http://127.0.0.1:4318") ?? URL(fileURLWithPath: "/")
}
