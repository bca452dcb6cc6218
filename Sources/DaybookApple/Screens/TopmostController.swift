#if canImport(UIKit) && !os(watchOS)
    import UIKit

    extension UIViewController {
        /// The topmost controller in the key window.
        static var topmost: UIViewController? {
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            var top = scenes.flatMap(\.windows).first { $0.isKeyWindow }?.rootViewController
            while let next = top?.presentedViewController { top = next }
            return top
        }
    }
#endif
