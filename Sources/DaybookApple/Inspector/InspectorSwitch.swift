/// Whether the inspector is there.
///
/// In a debug build it is, in a release build only if the app asks for it (`inRelease: true`, for its testers). A launch
/// argument, `-DaybookInspector NO` or `YES`, wins where it turns it off, or on in a debug build: an argument alone
/// must not open it in an app from the store.
public struct InspectorSwitch: Sendable, Hashable {
    package var isOn: Bool

    package init(isDebugBuild: Bool, inRelease: Bool, arguments: LaunchArguments) {
        isOn = (isDebugBuild || inRelease) && arguments.inspector != false
    }

    /// Whether this package was built for debugging, as the app that it is built into is.
    public static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}
