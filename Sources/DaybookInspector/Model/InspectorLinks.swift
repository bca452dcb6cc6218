import DaybookDefinitions

/// The team's own links, shown beside events and requests: "SQL examples", "Find in code".
///
/// An address has names in braces. Events: `{category}`, `{event}`, `{tag}`. Requests: `{path}`, `{path*}` (numbers and
/// UUIDs replaced by `*`), `{host}`, `{method}`, `{operation}`. A link whose address does not come out as `http` or
/// `https` is not shown. A value; safe to share between threads.
public struct InspectorLinks: Sendable, Hashable {
    /// A title and an address with names in braces.
    public struct Link: Sendable, Hashable {
        public var title: String
        public var url: String

        /// A link.
        public init(title: String, url: String) {
            self.title = title
            self.url = url
        }
    }

    public var event: [Link]
    public var request: [Link]

    /// Links; none by default.
    public init(event: [Link] = [], request: [Link] = []) {
        self.event = event
        self.request = request
    }

    /// The links of a project file.
    package init(_ links: Project.Links) {
        self.init(
            event: links.event.map { Link(title: $0.title, url: $0.url) },
            request: links.request.map { Link(title: $0.title, url: $0.url) })
    }
}

extension JSONWriter {
    mutating func links(_ links: InspectorLinks) {
        object {
            $0.key("event")
            $0.array(of: links.event) { $0.link($1) }
            $0.key("request")
            $0.array(of: links.request) { $0.link($1) }
        }
    }

    private mutating func link(_ link: InspectorLinks.Link) {
        object {
            $0.key("title")
            $0.string(link.title)
            $0.key("url")
            $0.string(link.url)
        }
    }
}
