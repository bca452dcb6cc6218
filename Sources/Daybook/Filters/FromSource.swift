import DaybookBase

/// Keeps or drops records by the module or file that logged them: `Route("**", to: console, transform: FromSource(only:
/// "Menu", "Cart/CartView.swift"))`.
///
/// A place is a module (`Menu`), a file of a module (`Menu/Loader.swift`), or a file of any module (`Loader.swift`). As
/// a route's transform it applies to one output; as a pipeline's filter to all, before the disk. A value; safe to
/// share.
public struct FromSource: FilterStage, Filter {
    public let pattern: String
    private let places: Set<String>
    private let isOnly: Bool
    private let keepsUnplaced: Bool

    /// Keeps what was logged in these modules and files.
    ///
    /// ```swift
    /// Route("**", to: ConsoleOutput(), transform: FromSource(only: "Menu", "Cart/CartView.swift"))
    /// ```
    /// - Parameters:
    ///   - pattern: The tags that it applies to; see `TagPattern`. Default: all.
    ///   - places: Modules and files.
    ///   - keepsUnplaced: Whether to keep records without a source, such as events. Default: no.
    public init(_ pattern: String = "**", only places: String..., keepsUnplaced: Bool = false) {
        self.pattern = pattern
        self.places = Set(places)
        self.keepsUnplaced = keepsUnplaced
        isOnly = true
    }

    /// Drops what was logged in these modules and files; keeps records without a source location.
    ///
    /// ```swift
    /// Route("**", to: ConsoleOutput(), transform: FromSource(except: "Networking"))
    /// ```
    public init(_ pattern: String = "**", except places: String...) {
        self.pattern = pattern
        self.places = Set(places)
        keepsUnplaced = true
        isOnly = false
    }

    public var action: FilterAction { .rewrite(self) }

    public func filter(_ record: Record, captured: Substring?, emit: (Record) -> Void) {
        guard let file = record.file else {
            if keepsUnplaced { emit(record) }
            return
        }
        let name = file.lastIndex(of: "/").map { String(file[file.index(after: $0)...]) }
        let isNamed =
            places.contains(file) || name.map(places.contains) == true || record.module.map(places.contains) == true
        if isNamed == isOnly { emit(record) }
    }
}
