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
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { fatalError() }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> { fatalError() }
}

@available(iOS 13.0, *)
public struct _ConditionalContent<TrueContent, FalseContent>: View {
    public var body: Never { fatalError() }
}

@available(iOS 13.0, *)
extension Optional: View where Wrapped: View {
    public typealias Body = Never
    public var body: Never { fatalError() }
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

// Source: https://developer.apple.com/documentation/swiftui/uiviewrepresentable
@available(iOS 13.0, *)
@MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    typealias Context = UIViewRepresentableContext<Self>
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
}

@available(iOS 13.0, *)
extension UIViewRepresentable {
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/uiviewrepresentablecontext
@available(iOS 13.0, *)
public struct UIViewRepresentableContext<Representable> {}

// Source: https://developer.apple.com/documentation/swiftui/environmentkey
@available(iOS 13.0, *)
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

// Source: https://developer.apple.com/documentation/swiftui/environmentvalues
@available(iOS 13.0, *)
public struct EnvironmentValues: Sendable {
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { K.defaultValue }
        set {}
    }
}

// Source: https://developer.apple.com/documentation/swiftui/environment
@available(iOS 13.0, *)
@propertyWrapper public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/viewmodifier
@available(iOS 13.0, *)
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder func body(content: Content) -> Body
}

@available(iOS 13.0, *)
public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/modifiedcontent
@available(iOS 13.0, *)
public struct ModifiedContent<Content, Modifier> {}
@available(iOS 13.0, *)
extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/gesture
@available(iOS 13.0, *)
@MainActor @preconcurrency public protocol Gesture<Value> {
    associatedtype Value
    associatedtype Body: Gesture
    var body: Body { get }
}

@available(iOS 13.0, *)
extension Never: Gesture {
    public typealias Value = Never
}

@available(iOS 13.0, *)
extension Gesture {
    nonisolated public func onEnded(_ action: @escaping (Value) -> Void) -> _EndedGesture<Self> { fatalError() }
}

@available(iOS 13.0, *)
public struct _EndedGesture<Content: Gesture>: Gesture {
    public typealias Value = Content.Value
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/tapgesture
@available(iOS 13.0, *)
public struct TapGesture: Gesture {
    public typealias Value = ()
    nonisolated public init(count: Int = 1) {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/gesturemask
@available(iOS 13.0, *)
public struct GestureMask: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let all = GestureMask(rawValue: 3)
}

// Source: https://developer.apple.com/documentation/swiftui/alignment
@available(iOS 13.0, *)
public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
    public static let topLeading = Alignment()
}

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
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError()
    }
}

// Source: https://developer.apple.com/documentation/swiftui/text
@available(iOS 13.0, *)
public struct Text: View {
    nonisolated public init<S: StringProtocol>(_ content: S) {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/horizontalalignment
@available(iOS 13.0, *)
public struct HorizontalAlignment: Equatable, Sendable {
    public static let center = HorizontalAlignment()
}

// Source: https://developer.apple.com/documentation/swiftui/vstack
@available(iOS 13.0, *)
public struct VStack<Content: View>: View {
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
    public var body: Never { fatalError() }
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
public struct NavigationStack<Data, Root: View>: View {
    nonisolated public init(path: Binding<Data>, @ViewBuilder root: () -> Root)
    where
        Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Data.Element: Hashable
    {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/button
@available(iOS 13.0, *)
public struct Button<Label: View>: View {
    nonisolated public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void)
    where Label == Text {}
    public var body: Never { fatalError() }
}

// Source: https://developer.apple.com/documentation/swiftui/submittriggers
@available(iOS 15.0, *)
public struct SubmitTriggers: Sendable {
    public static let search = SubmitTriggers()
}

// Source: https://developer.apple.com/documentation/swiftui/searchfieldplacement
@available(iOS 15.0, *)
public struct SearchFieldPlacement: Sendable {
    public enum NavigationBarDrawerDisplayMode: Sendable { case automatic, always }
    public static let automatic = SearchFieldPlacement()
    public static func navigationBarDrawer(displayMode: NavigationBarDrawerDisplayMode) -> SearchFieldPlacement {
        SearchFieldPlacement()
    }
}

// Source: https://developer.apple.com/documentation/swiftui/view (its modifiers)
@available(iOS 13.0, *)
extension View {
    @available(iOS 15.0, *)
    nonisolated public func searchable(
        text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
    ) -> some View { self }
    @available(iOS 15.0, *)
    nonisolated public func onSubmit(of triggers: SubmitTriggers, _ action: @escaping () -> Void) -> some View { self }
    @available(iOS 14.0, *)
    nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
    @available(iOS 16.0, *)
    nonisolated public func navigationDestination<D: Hashable, C: View>(
        for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View { self }
    nonisolated public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> { fatalError() }
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    nonisolated public func simultaneousGesture<T: Gesture>(
        _ gesture: T, including mask: GestureMask = .all
    ) -> some View { self }
    @available(iOS 15.0, *)
    nonisolated public func overlay<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View { self }
    nonisolated public func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
}
