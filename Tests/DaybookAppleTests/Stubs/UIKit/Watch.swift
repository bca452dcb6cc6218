// Only on watchOS.
// A watch has colours, fonts and images of UIKit, and no view, device or application: nothing that is used here.
// Source: https://developer.apple.com/documentation/watchkit
@_exported import Foundation
