import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookTools

/// A team's definitions, checklists and links, for an inspector in the app.
///
/// `DaybookDictionaryPlugin` generates `LogDictionary.project` from a project's files. They are internal text: link the
/// generated target only into builds with the inspector. A value; safe to share between threads.
public struct LogDictionary: Sendable {
    /// A file that the plugin embedded.
    public struct File: Sendable {
        let path: StaticString
        let text: StaticString

        /// Creates a file with its path from the project's folder.
        ///
        /// ```swift
        /// let file = LogDictionary.File("LogDefinitions/feed.md", "# feed\n\n## refresh\n\nThe feed is loaded again.\n")
        /// ```
        public init(_ path: StaticString, _ text: StaticString) {
            self.path = path
            self.text = text
        }
    }

    /// The team's definitions.
    public let definitions: Definitions
    /// The checklists, ordered by file.
    public let checklists: [Checklist]
    /// The team's own links.
    public let links: InspectorLinks
    /// Problems of the files, with locations. Definitions are checked at build time. A checklist with a problem is left
    /// out.
    public let problems: [String]

    /// Parses files. An app calls this only if it does not use `DaybookDictionaryPlugin`.
    ///
    /// ```swift
    /// let dictionary = LogDictionary(
    ///     project: .init("daybook.json", "{}"), definitions: [.init("LogDefinitions/feed.md", "# feed\n\n## refresh\n")],
    ///     checklists: [.init("LogChecklists/feed.md", "# feed\n\n- [ ] feed.refresh\n")])
    /// for problem in dictionary.problems { print(problem) }
    /// ```
    /// - Parameters:
    ///   - project: `daybook.json`, for rules and links.
    ///   - definitions: Markdown, one file per category.
    ///   - checklists: Markdown, one file per checklist.
    public init(project: File, definitions: [File], checklists: [File]) {
        let (settings, projectDiagnostics) = Project.read(path: project.path.description, bytes: project.text.bytes)
        let (loaded, diagnostics) = Definitions.load(
            definitions.map { (path: $0.path.description, bytes: $0.text.bytes) }, rules: settings.rules)
        var problems = (projectDiagnostics + diagnostics).map(\.description)
        self.definitions = loaded
        self.checklists = checklists.compactMap { file in
            do throws(ChecklistError) {
                return try Checklist(markdown: file.text.description, file: file.path.description)
            } catch {
                problems += error.problems.map(\.description)
                return nil
            }
        }
        links = InspectorLinks(settings.links)
        self.problems = problems
    }
}

extension StaticString {
    fileprivate var bytes: [UInt8] { Array(description.utf8) }
}

/// The team's own links, shown beside events and requests: "SQL examples", "Find in code".
///
/// An address contains names in braces. Events: `{category}`, `{event}`, `{tag}`. Requests: `{path}`, `{path*}`
/// (numbers and UUIDs replaced by `*`), `{host}`, `{method}`, `{operation}`. A link whose resulting address is not
/// `http` or `https` is not shown. A value; safe to share between threads.
public struct InspectorLinks: Sendable, Hashable {
    /// A title and an address with names in braces.
    public struct Link: Sendable, Hashable {
        public var title: String
        public var url: String

        /// Creates a link.
        ///
        /// ```swift
        /// let link = InspectorLinks.Link(title: "Find in code", url: "https://git.example/search?q={event}")
        /// ```
        public init(title: String, url: String) {
            self.title = title
            self.url = url
        }
    }

    public var event: [Link]
    public var request: [Link]

    /// Creates links; none by default.
    ///
    /// ```swift
    /// let links = InspectorLinks(
    ///     event: [.init(title: "SQL examples", url: "https://wiki.example/logs/{tag}")],
    ///     request: [.init(title: "API", url: "https://api.example/docs{path*}")])
    /// ```
    public init(event: [Link] = [], request: [Link] = []) {
        self.event = event
        self.request = request
    }

    package init(_ links: Project.Links) {
        self.init(
            event: links.event.map { Link(title: $0.title, url: $0.url) },
            request: links.request.map { Link(title: $0.title, url: $0.url) })
    }

    /// As in a project's file.
    var project: Project.Links {
        var links = Project.Links()
        links.event = event.map { Project.Link(title: $0.title, url: $0.url) }
        links.request = request.map { Project.Link(title: $0.title, url: $0.url) }
        return links
    }
}
