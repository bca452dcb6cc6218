// Source: https://developer.apple.com/documentation/swiftui
@_exported import Foundation
public import UIKit

// Source: https://developer.apple.com/documentation/swiftui/view
@available(iOS 13.0, *)
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

@available(iOS 13.0, *)
extension Never: View {
    public typealias Body = Never
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/tupleview
@available(iOS 13.0, *)
public struct TupleView<T>: View {
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/emptyview
@available(iOS 13.0, *)
public struct EmptyView: View {
    public init() {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/viewbuilder
@available(iOS 13.0, *)
@resultBuilder public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { fatalError() }
    @MainActor public static func buildIf<Content: View>(_ content: Content?) -> EmptyView { EmptyView() }
}

// Source: https://developer.apple.com/documentation/swiftui/scene
@available(iOS 14.0, *)
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

@available(iOS 14.0, *)
extension Never: Scene {}

// Source: https://developer.apple.com/documentation/swiftui/scenebuilder
@available(iOS 14.0, *)
@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

// Source: https://developer.apple.com/documentation/swiftui/app
@available(iOS 14.0, *)
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

@available(iOS 14.0, *)
extension App {
    public static func main() {}
}

// Source: https://developer.apple.com/documentation/swiftui/windowgroup
@available(iOS 14.0, *)
public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/uiviewcontrollerrepresentable
@available(iOS 13.0, *)
@MainActor @preconcurrency public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    typealias Context = UIViewControllerRepresentableContext<Self>
    func makeUIViewController(context: Context) -> UIViewControllerType
    func updateUIViewController(_ controller: UIViewControllerType, context: Context)
}

@available(iOS 13.0, *)
extension UIViewControllerRepresentable {
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/uiviewcontrollerrepresentablecontext
@available(iOS 13.0, *)
public struct UIViewControllerRepresentableContext<Representable> {}

// Source: https://developer.apple.com/documentation/swiftui/state
@available(iOS 13.0, *)
@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/binding
@available(iOS 13.0, *)
@propertyWrapper public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}

// Source: https://developer.apple.com/documentation/swiftui/list
@available(iOS 13.0, *)
public struct List<Content: View>: View {
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/navigationstack
@available(iOS 16.0, *)
public struct NavigationStack<Content: View>: View {
    public init(@ViewBuilder root: () -> Content) {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/button
@available(iOS 13.0, *)
public struct Button: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/submittriggers
@available(iOS 15.0, *)
public struct SubmitTriggers: Sendable {
    public static let search = SubmitTriggers()
}

// Source: https://developer.apple.com/documentation/swiftui/view (its modifiers)
@available(iOS 13.0, *)
extension View {
    @available(iOS 15.0, *)
    nonisolated public func searchable(text: Binding<String>) -> some View { self }
    @available(iOS 15.0, *)
    nonisolated public func onSubmit(of triggers: SubmitTriggers, _ action: @escaping () -> Void) -> some View { self }
    @available(iOS 14.0, *)
    nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
}
