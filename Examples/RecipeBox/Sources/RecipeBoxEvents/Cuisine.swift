import Daybook

/// A recipe's cuisine: an app's own type, which the definitions use by name.
public enum Cuisine: String, LogValue {
    case japanese
    case chinese
    case russian
    case other
}
