import Daybook

/// The kitchen a recipe belongs to: the app's own type, which the definitions use by its name.
public enum Cuisine: String, LogValue {
    case japanese
    case chinese
    case russian
    case other
}
