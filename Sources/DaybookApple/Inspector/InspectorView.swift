#if canImport(SwiftUI) && canImport(WebKit)
    import DaybookHTTP
    import SwiftUI

    /// The inspector as a SwiftUI view; see ``InspectorViewController``. On a Mac it can have a window of its own:
    ///
    /// ```swift
    /// Window("Records", id: "records") { InspectorView(handler: inspector, token: token.text) }
    /// ```
    public struct InspectorView: View {
        private let handler: any HTTPHandler
        private let token: String
        private let screen: String?

        /// Creates a view.
        ///
        /// ```swift
        /// func networkScreen(_ handler: any HTTPHandler, token: String) -> InspectorView {
        ///     InspectorView(handler: handler, token: token, screen: "/net")
        /// }
        /// ```
        /// - Parameters:
        ///   - handler: An `InspectorHandler` of the module `DaybookInspector`.
        ///   - token: The text of the `AccessToken` that the handler was made with.
        ///   - screen: A screen of the page: `/net`. Default: the history.
        public init(handler: any HTTPHandler, token: String, screen: String? = nil) {
            self.handler = handler
            self.token = token
            self.screen = screen
        }

        public var body: some View { Page(handler: handler, token: token, screen: screen) }
    }

    private struct Page {
        let handler: any HTTPHandler
        let token: String
        let screen: String?

        @MainActor private var controller: InspectorViewController {
            InspectorViewController(handler: handler, token: token, screen: screen)
        }
    }

    #if canImport(UIKit)
        extension Page: UIViewControllerRepresentable {
            func makeUIViewController(context: Context) -> InspectorViewController { controller }

            func updateUIViewController(_ controller: InspectorViewController, context: Context) {}
        }
    #else
        extension Page: NSViewControllerRepresentable {
            func makeNSViewController(context: Context) -> InspectorViewController { controller }

            func updateNSViewController(_ controller: InspectorViewController, context: Context) {}
        }
    #endif

    extension View {
        /// Opens the inspector over the app by a shake (in a simulator and on a Mac ⌃⌘Z), or at launch with
        /// `-DaybookOpen`: one line in the app's first view.
        ///
        /// ```swift
        /// WindowGroup { ContentView().inspectorOnShake { (inspector, token.text) } }
        /// ```
        /// - Parameters:
        ///   - inRelease: Whether a release build also has the inspector, for testers. Default: no.
        ///   - source: Returns the `InspectorHandler` and its token's text, each time the inspector opens; `nil` if
        ///     this build has none.
        public func inspectorOnShake(
            inRelease: Bool = false, _ source: @escaping () -> (handler: any HTTPHandler, token: String)?
        ) -> some View {
            modifier(InspectorOnShake(inRelease: inRelease, source: source))
        }
    }

    /// Keeps an ``InspectorPresenter`` while the view exists.
    private struct InspectorOnShake: ViewModifier {
        let inRelease: Bool
        let source: () -> (handler: any HTTPHandler, token: String)?
        @State private var presenter: InspectorPresenter?

        init(inRelease: Bool, source: @escaping () -> (handler: any HTTPHandler, token: String)?) {
            self.inRelease = inRelease
            self.source = source
        }

        func body(content: Content) -> some View {
            content.onAppear {
                if presenter == nil { presenter = InspectorPresenter(inRelease: inRelease, source) }
            }
        }
    }
#endif
