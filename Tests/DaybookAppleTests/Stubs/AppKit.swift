// Only on macOS.
// Source: https://developer.apple.com/documentation/appkit
// Everything except values is isolated to the main actor.
@_exported import Foundation

// Source: https://developer.apple.com/documentation/appkit/nsresponder
@MainActor open class NSResponder: NSObject {
    public override init() {}
    public required init?(coder: NSCoder) { nil }
}

// Source: https://developer.apple.com/documentation/appkit/nsapplication
@MainActor open class NSApplication: NSResponder {
    nonisolated public static let didResignActiveNotification = Notification.Name("resigned")
    nonisolated public static let didBecomeActiveNotification = Notification.Name("active")
}

// Source: https://developer.apple.com/documentation/appkit/nsapplicationdelegate
@MainActor @objc public protocol NSApplicationDelegate: NSObjectProtocol {
    @objc optional func applicationDidFinishLaunching(_ notification: Notification)
    @objc optional func applicationShouldTerminate(_ sender: NSApplication) -> NSApplication.TerminateReply
}

// Source: https://developer.apple.com/documentation/appkit/nsworkspace
open class NSWorkspace: NSObject {
    open class var shared: NSWorkspace { fatalError() }
    open var notificationCenter: NotificationCenter { fatalError() }
    public static let willSleepNotification = Notification.Name("sleeps")
    public static let didWakeNotification = Notification.Name("woke")
    @discardableResult open func open(_ url: URL) -> Bool { false }
}

// Source: https://developer.apple.com/documentation/appkit/nsview
@MainActor open class NSView: NSResponder {
    public init(frame: CGRect) { super.init() }
    public required init?(coder: NSCoder) { nil }
}

// Source: https://developer.apple.com/documentation/appkit/nsviewcontroller
@MainActor open class NSViewController: NSResponder {
    public init(nibName: String?, bundle: Bundle?) { super.init() }
    public required init?(coder: NSCoder) { nil }
    open var view: NSView {
        get { fatalError() }
        set {}
    }
    @objc open dynamic func loadView() {}
    @objc open dynamic func viewDidLoad() {}
}

// Source: https://developer.apple.com/documentation/appkit/nswindow
@MainActor open class NSWindow: NSResponder {
    public convenience init(contentViewController: NSViewController) { self.init() }
    open var title: String {
        get { "" }
        set {}
    }
    open var isReleasedWhenClosed: Bool {
        get { true }
        set {}
    }
    open var isVisible: Bool { false }
    open func setContentSize(_ size: CGSize) {}
    open func center() {}
    open func makeKeyAndOrderFront(_ sender: Any?) {}
}

// Source: https://developer.apple.com/documentation/appkit/nsevent
open class NSEvent: NSObject {
    // Source: https://developer.apple.com/documentation/appkit/nsevent/eventtypemask
    public struct EventTypeMask: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let keyDown = EventTypeMask(rawValue: 1 << 10)
    }
    // Source: https://developer.apple.com/documentation/appkit/nsevent/modifierflags-swift.struct
    public struct ModifierFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let control = ModifierFlags(rawValue: 1 << 18)
        public static let command = ModifierFlags(rawValue: 1 << 20)
        public static let deviceIndependentFlagsMask = ModifierFlags(rawValue: 0xffff_0000)
    }
    open var modifierFlags: ModifierFlags { [] }
    open var charactersIgnoringModifiers: String? { nil }
    open class func addLocalMonitorForEvents(
        matching mask: EventTypeMask, handler block: @escaping (NSEvent) -> NSEvent?
    ) -> Any? { nil }
    open class func removeMonitor(_ eventMonitor: Any) {}
}

// Source: https://developer.apple.com/documentation/appkit/nspasteboard
open class NSPasteboard: NSObject {
    public struct PasteboardType: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let string = PasteboardType(rawValue: "public.utf8-plain-text")
    }
    open class var general: NSPasteboard { fatalError() }
    @discardableResult open func clearContents() -> Int { 0 }
    @discardableResult open func setString(_ string: String, forType dataType: PasteboardType) -> Bool { false }
}

// Source: https://developer.apple.com/documentation/appkit/nssavepanel
@MainActor open class NSSavePanel: NSWindow {
    open var nameFieldStringValue: String {
        get { "" }
        set {}
    }
    open var url: URL? { nil }
    open func begin(completionHandler handler: @escaping (NSApplication.ModalResponse) -> Void) {}
}
extension NSApplication {
    // Source: https://developer.apple.com/documentation/appkit/nsapplication/terminatereply
    @objc public enum TerminateReply: UInt, Sendable { case terminateCancel, terminateNow, terminateLater }
    public func reply(toApplicationShouldTerminate shouldTerminate: Bool) {}
    // Source: https://developer.apple.com/documentation/appkit/nsapplication/modalresponse
    public struct ModalResponse: Hashable, RawRepresentable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let OK = ModalResponse(rawValue: 1)
    }
}

// Source: https://developer.apple.com/documentation/appkit/nsalert
@MainActor open class NSAlert: NSObject {
    public convenience init(error: any Error) { self.init() }
    @discardableResult open func runModal() -> NSApplication.ModalResponse { .OK }
}
