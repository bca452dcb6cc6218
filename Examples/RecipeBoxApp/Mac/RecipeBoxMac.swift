import AppKit
import Daybook
import DaybookApple
import DaybookInspector
import DaybookOTLP
import RecipeBoxEvents
import SwiftUI

/// The recipe app as a Mac's, with its records in a window.
@main
struct RecipeBoxMac: App {
    @NSApplicationDelegateAdaptor private var delegate: MacDelegate

    var body: some Scene {
        WindowGroup {
            Text("Recipes").inspectorOnShake { MacLog.shared?.kept.map { ($0.handler, $0.token.text) } }
        }
        #if DEBUG
            Window("Records", id: "records") {
                if let kept = MacLog.shared?.kept {
                    InspectorView(handler: kept.handler, token: kept.token.text)
                } else {
                    Text("The store of records cannot be opened.")
                }
            }
        #endif
    }
}

/// The app's one pipeline.
@MainActor final class MacLog {
    static let shared = try? MacLog()

    let pipeline: Pipeline<EmptyContext>
    let kept: InspectorStore?
    private let hooks: LifecycleHooks

    private init() throws {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        let device = DeviceFacts.current
        // Outside of a sandbox all apps share the folder.
        let folder = support.appending(path: device.bundleIdentifier ?? "RecipeBox")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let kept = try LogDictionary.inThisBuild.map { try InspectorStore(in: folder, dictionary: $0) }
        var options = PipelineOptions()
        options.resource = device.resource
        options.conditions = DeviceConditions()
        pipeline = try Pipeline(
            store: .directory(folder.appending(path: "Logs"), files: AppleFiles.system()), options: options
        ) {
            Redact.credentials
            Route("**", to: OSLogOutput(subsystem: device.bundleIdentifier ?? "com.example.recipebox"))
            if let kept { Route("**", to: kept.output) }
            if let url = URL(string: "http://127.0.0.1:4318") { Route("**", to: OTLPOutput(endpoint: url)) }
        }
        Log.install(pipeline)
        self.kept = kept
        hooks = LifecycleHooks(pipeline)
    }
}

/// Delivers before the app quits, for at most two seconds. Without it the next launch does.
@MainActor final class MacDelegate: NSObject, NSApplicationDelegate {
    func applicationDidFinishLaunching(_ notification: Notification) {
        Log("app.lifecycle").post(AppLifecycle.launch(cold: true, durationMs: 0, openedFrom: .icon))
    }

    func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply {
        guard let pipeline = MacLog.shared?.pipeline else { return .terminateNow }
        Task {
            await pipeline.shutdown(deadline: .seconds(2))
            sender.reply(toApplicationShouldTerminate: true)
        }
        return .terminateLater
    }
}
