/// The settings in a team's project file, `daybook.json`. See `docs/formats/project.md`.
public struct Project: Sendable, Hashable {
    /// The project file's usual name.
    public static let fileName = "daybook.json"

    /// The folders of definitions, relative to the project file. `*` stands for any part of a folder's name, `**` for
    /// any number of folders. Default: `LogDefinitions`.
    public var definitions: [String] = ["LogDefinitions"]
    /// The folder of the checklists, relative to the project file.
    public var checklists: String?
    /// The folder of the alerts, relative to the project file.
    public var alerts: String?
    /// The folder of the boards, relative to the project file. `nil`: `LogBoards`.
    public var boards: String?
    /// The screen that the inspector shows for an address without one.
    public var start = StartScreen.history
    /// Options for the generated Swift.
    public var swift = SwiftOptions()
    /// Where the inspector's entries lead.
    public var links = Links()
    /// The rules that apply to the definitions.
    public var rules = RuleSettings()

    /// Creates a project with default settings.
    public init() {}

    /// What the inspector shows first.
    public enum StartScreen: String, Sendable, CaseIterable {
        case history, releases, boards
    }

    /// Link templates, in order.
    public struct Links: Sendable, Hashable {
        /// For an event of the dictionary: `{category}`, `{event}`, `{tag}`.
        public var event: [Link] = []
        /// For a network request: `{method}`, `{host}`, `{path}`, `{path*}` (its numbers and UUIDs replaced by `*`) and
        /// `{operation}`.
        public var request: [Link] = []

        /// Creates an instance without links.
        public init() {}
    }

    /// A link template.
    public struct Link: Sendable, Hashable {
        /// The text that is shown.
        public var title: String
        /// `http` or `https`, with placeholders in braces.
        public var url: String

        /// Creates a link template.
        public init(title: String, url: String) {
            self.title = title
            self.url = url
        }
    }
}

/// Options for the generated Swift.
public struct SwiftOptions: Sendable, Hashable {
    /// What happens to a value that its column cannot hold.
    public enum Overflow: String, Sendable, CaseIterable {
        /// Text is cut before the character that does not fit; a number becomes the nearest that fits.
        case truncate
        /// The column is omitted, and the attribute `daybook.rejected.COLUMN` says why: `too_long`, `out_of_range`.
        case reject
    }

    /// Modules to import besides `Daybook`: those with the team's own types.
    public var imports: [String]
    /// The name of the struct of the common columns.
    public var context: String
    public var overflow: Overflow

    /// Creates options. By default no imports, `CommonPayload`, `truncate`.
    public init(imports: [String] = [], context: String = "CommonPayload", overflow: Overflow = .truncate) {
        self.imports = imports
        self.context = context
        self.overflow = overflow
    }
}
