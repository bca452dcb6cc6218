// Only on macOS.
public import AppKit

// Source: https://developer.apple.com/documentation/swiftui/nsviewcontrollerrepresentable
@MainActor @preconcurrency public protocol NSViewControllerRepresentable: View where Body == Never {
    associatedtype NSViewControllerType: NSViewController
    typealias Context = NSViewControllerRepresentableContext<Self>
    func makeNSViewController(context: Context) -> NSViewControllerType
    func updateNSViewController(_ controller: NSViewControllerType, context: Context)
}

extension NSViewControllerRepresentable {
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/nsviewcontrollerrepresentablecontext
public struct NSViewControllerRepresentableContext<Representable> {}

// Source: https://developer.apple.com/documentation/swiftui/window
public struct Window<Content: View>: Scene {
    public init<S: StringProtocol>(_ title: S, id: String, @ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/nsapplicationdelegateadaptor
@MainActor @preconcurrency @propertyWrapper
public struct NSApplicationDelegateAdaptor<DelegateType: NSObject & NSApplicationDelegate> {
    public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
    public var wrappedValue: DelegateType { fatalError() }
}
