import Daybook
import DaybookApple
import SwiftUI

/// The recipe app, for Xcode: three files, and the definitions of `Examples/RecipeBox`.
@main
struct RecipeBoxApp: App {
    init() {
        _ = AppLog.shared
        Log("app.lifecycle").post(AppLifecycle.launch(cold: true, durationMs: 0, openedFrom: .icon))
    }

    var body: some Scene {
        WindowGroup { SearchView() }
    }
}
