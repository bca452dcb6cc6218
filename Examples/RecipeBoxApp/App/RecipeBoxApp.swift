import Daybook
import DaybookApple
import RecipeBoxEvents
import SwiftUI

/// The recipe app for Xcode, with the events defined in `Examples/RecipeBox`.
@main
struct RecipeBoxApp: App {
    init() {
        _ = AppLog.shared
        Log("app.lifecycle").post(AppLifecycle.launch(cold: true, durationMs: 0, openedFrom: .icon))
    }

    var body: some Scene {
        WindowGroup {
            SearchView()
                .inspectorOnShake { AppLog.shared.inspector.map { ($0.handler, $0.token.text) } }
                .recordsForUITest(AppLog.shared.records)
        }
    }
}
