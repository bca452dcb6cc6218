#if canImport(SwiftUI) && canImport(UIKit) && canImport(WebKit)
    import DaybookHTTP
    import SwiftUI

    /// The inspector as a SwiftUI view; see ``InspectorViewController``.
    public struct InspectorView: UIViewControllerRepresentable {
        private let handler: any HTTPHandler
        private let token: String
        private let screen: String?

        /// A view.
        /// - Parameters:
        ///   - handler: An `InspectorHandler` of the module `DaybookInspector`.
        ///   - token: The text of the `AccessToken` that the handler was made with.
        ///   - screen: A screen of the page: `/net`. Default: the history.
        public init(handler: any HTTPHandler, token: String, screen: String? = nil) {
            self.handler = handler
            self.token = token
            self.screen = screen
        }

        public func makeUIViewController(context: Context) -> InspectorViewController {
            InspectorViewController(handler: handler, token: token, screen: screen)
        }

        public func updateUIViewController(_ controller: InspectorViewController, context: Context) {}
    }
#endif
