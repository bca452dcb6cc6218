/// What a team has set in its project file, `daybook.json`. See `docs/formats/project.md`.
public struct Project: Sendable, Hashable {
    /// The project file's usual name.
    public static let fileName = "daybook.json"

    /// Folders with definitions, relative to the project file. `*` stands for any part of a folder's name, `**` for any
    /// number of folders. Default: `LogDefinitions`.
    public var definitions: [String] = ["LogDefinitions"]
    /// The folder of the checklists, relative to the project file.
    public var checklists: String?
    /// The folder of the alerts, relative to the project file.
    public var alerts: String?
    /// The folder of the boards, relative to the project file. `nil`: `LogBoards`.
    public var boards: String?
    /// The inspector's screen of an address that names none.
    public var start = StartScreen.history
    /// What generated Swift looks like.
    public var swift = SwiftOptions()
    /// Where the inspector's entries lead.
    public var links = Links()
    /// Which rules the definitions are held to.
    public var rules = RuleSettings()

    /// A project that has set nothing.
    public init() {}

    /// What the inspector shows first.
    public enum StartScreen: String, Sendable, CaseIterable {
        case history, releases, boards
    }

    /// Link templates, in their order.
    public struct Links: Sendable, Hashable {
        /// For an event of the dictionary: `{category}`, `{event}`, `{tag}`.
        public var event: [Link] = []
        /// For a network request: `{method}`, `{host}`, `{path}`, `{path*}` (numbers in it replaced by `*`).
        public var request: [Link] = []

        /// No links.
        public init() {}
    }

    /// A link template.
    public struct Link: Sendable, Hashable {
        /// What is shown.
        public var title: String
        /// `http`, `https` or an app's own scheme, with placeholders in braces.
        public var url: String

        /// A link template.
        public init(title: String, url: String) {
            self.title = title
            self.url = url
        }
    }
}

/// What generated Swift looks like.
public struct SwiftOptions: Sendable, Hashable {
    /// What happens to a value that its column cannot hold.
    public enum Overflow: String, Sendable, CaseIterable {
        /// Text is cut before the character that does not fit; a number becomes the nearest that fits.
        case truncate
        /// The column is left out, and the attribute `daybook.rejected.COLUMN` says why: `too_long`, `out_of_range`.
        case reject
    }

    /// Modules to import beside `Daybook`: those that hold the team's own types.
    public var imports: [String]
    /// The name of the struct of the common columns.
    public var context: String
    public var overflow: Overflow

    /// Options. By default no imports, `CommonPayload`, `truncate`.
    public init(imports: [String] = [], context: String = "CommonPayload", overflow: Overflow = .truncate) {
        self.imports = imports
        self.context = context
        self.overflow = overflow
    }
}
