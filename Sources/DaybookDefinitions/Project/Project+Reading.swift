extension Project {
    /// Reads a project file.
    ///
    /// - Returns: The project, with what is wrong left at its default, and all that is wrong. With an error among the
    ///   diagnostics the file must not be used.
    public static func read(path: String, bytes: [UInt8]) -> (Project, [Diagnostic]) {
        do throws(Diagnostic) {
            var reader = ProjectReader(try JSONDocument(file: path, bytes: bytes))
            return (reader.project(), reader.diagnostics.ordered())
        } catch {
            return (Project(), [error])
        }
    }
}

/// Turns the JSON of a project file into a project, and says everything that is wrong with it.
private struct ProjectReader {
    private var object: ProjectObject
    var diagnostics: [Diagnostic] { object.diagnostics }

    init(_ document: JSONDocument) { object = ProjectObject(document) }

    mutating func project() -> Project {
        var project = Project()
        object.read(object.document.root, as: "the project file") { name, node, object in
            switch name {
            case "definitions":
                project.definitions = object.texts(node, name)
                if case .array(let elements) = node.content, elements.isEmpty {
                    object.error(node, "`definitions` names no folder")
                }
                project.definitions.forEach { object.checkFolder($0, node) }
            case "checklists": project.checklists = object.folder(node, name)
            case "alerts": project.alerts = object.folder(node, name)
            case "swift": project.swift = ProjectReader.swift(node, &object)
            case "links": project.links = ProjectReader.links(node, &object)
            case "rules": project.rules = ProjectReader.rules(node, &object)
            default: return ["definitions", "checklists", "alerts", "swift", "links", "rules"]
            }
            return nil
        }
        project.rules.contextName = project.swift.context
        return project
    }

    private static func swift(_ node: JSONDocument.Node, _ object: inout ProjectObject) -> SwiftOptions {
        var options = SwiftOptions()
        object.read(node, as: "`swift`") { name, node, object in
            switch name {
            case "imports":
                options.imports = object.texts(node, name)
                for module in options.imports { object.checkIdentifier(module, node, "a module") }
            case "context":
                options.context = object.text(node, name) ?? options.context
                object.checkIdentifier(options.context, node, "a type")
            case "overflow": options.overflow = object.choice(node, name) ?? options.overflow
            default: return ["imports", "context", "overflow"]
            }
            return nil
        }
        return options
    }

    private static func links(_ node: JSONDocument.Node, _ object: inout ProjectObject) -> Project.Links {
        var links = Project.Links()
        object.read(node, as: "`links`") { name, node, object in
            switch name {
            case "event": links.event = list(node, placeholders: ["category", "event", "tag"], &object)
            case "request": links.request = list(node, placeholders: ["method", "host", "path", "path*"], &object)
            default: return ["event", "request"]
            }
            return nil
        }
        return links
    }

    private static func list(
        _ node: JSONDocument.Node, placeholders: [String], _ object: inout ProjectObject
    ) -> [Project.Link] {
        object.elements(node, "links").compactMap { element in
            var (title, url): (String?, String?)
            object.read(element, as: "a link") { name, node, object in
                switch name {
                case "title": title = object.text(node, name)
                case "url":
                    url = object.text(node, name)
                    if let url { object.checkTemplate(url, node, placeholders: placeholders) }
                default: return ["title", "url"]
                }
                return nil
            }
            guard let title, let url else {
                object.error(element, "a link needs `title` and `url`")
                return nil
            }
            return Project.Link(title: title, url: url)
        }
    }

    private static func rules(_ node: JSONDocument.Node, _ object: inout ProjectObject) -> RuleSettings {
        var settings = RuleSettings()
        object.read(node, as: "`rules`") { name, node, object in
            guard let rule = RuleID(rawValue: name) else { return RuleID.allCases.map(\.rawValue) }
            guard rule == .nameLength, case .object = node.content else {
                settings.levels[rule] = object.choice(node, name)
                return nil
            }
            object.read(node, as: "`\(name)`") { name, node, object in
                switch name {
                case "level": settings.levels[rule] = object.choice(node, name)
                case "limit":
                    settings.greatestNameLength =
                        object.number(node, name, from: 1, through: 1_000) ?? settings.greatestNameLength
                default: return ["level", "limit"]
                }
                return nil
            }
            return nil
        }
        return settings
    }
}
