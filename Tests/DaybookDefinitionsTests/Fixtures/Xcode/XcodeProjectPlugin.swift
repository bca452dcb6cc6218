// Only the declarations of Xcode's module that the plugin uses, after Apple's documentation of `XcodeProjectPlugin`, so
// that its Xcode half type-checks without Xcode.
import Foundation
import PackagePlugin

public protocol XcodeBuildToolPlugin: Plugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command]
}

public struct XcodePluginContext {
    public let xcodeProject: XcodeProject
    public let pluginWorkDirectoryURL: URL
    public func tool(named name: String) throws -> PluginContext.Tool { fatalError("never called: \(name)") }
}

public struct XcodeProject {
    public let displayName: String
    public let directoryURL: URL
}

public struct XcodeTarget {
    public let displayName: String
}
