#if canImport(UIKit)
    import UIKit

    extension UIViewController {
        /// What the user sees in the window with the keyboard.
        static var topmost: UIViewController? {
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            var top = scenes.flatMap(\.windows).first { $0.isKeyWindow }?.rootViewController
            while let next = top?.presentedViewController { top = next }
            return top
        }
    }
#endif
