import DaybookBase
import DaybookTools

extension Project {
    /// Reads a project file.
    ///
    /// - Returns: The project, with default values for what is wrong, and all diagnostics. With an error among the
    ///   diagnostics, the file must not be used.
    public static func read(path: String, bytes: [UInt8]) -> (Project, [Diagnostic]) {
        do throws(Diagnostic) {
            var object = ProjectObject(try JSONDocument(file: path, bytes: bytes))
            let project = ProjectReader.project(&object)
            return (project, object.diagnostics.ordered())
        } catch {
            return (Project(), [error])
        }
    }
}

private enum ProjectReader {
    static func project(_ object: inout ProjectObject) -> Project {
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
            case "boards": project.boards = object.folder(node, name)
            case "start": project.start = object.choice(node, name) ?? project.start
            case "swift": project.swift = swift(node, &object)
            case "links": project.links = links(node, &object)
            case "rules": project.rules = rules(node, &object)
            default: return ["definitions", "checklists", "alerts", "boards", "start", "swift", "links", "rules"]
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
            case "request":
                links.request = list(node, placeholders: ["method", "host", "path", "path*", "operation"], &object)
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

/// Reads values of a JSON document by their expected types, and collects errors.
struct ProjectObject {
    let document: JSONDocument
    private(set) var diagnostics: [Diagnostic] = []

    init(_ document: JSONDocument) { self.document = document }

    mutating func error(_ node: JSONDocument.Node, _ message: String, hint: String? = nil) {
        diagnostics.append(.error(document.location(of: node.offset), message, hint: hint))
    }

    /// Passes each member of an object to `body`, which returns the known names if it does not know this one.
    mutating func read(
        _ node: JSONDocument.Node, as what: String,
        _ body: (_ name: String, _ value: JSONDocument.Node, _ object: inout ProjectObject) -> [String]?
    ) {
        guard case .object(let members) = node.content else {
            return error(node, "\(what) is an object in `{` and `}`, not \(node.kind)")
        }
        var seen: Set<String> = []
        for member in members {
            let place = document.location(of: member.nameOffset)
            guard seen.insert(member.name).inserted else {
                diagnostics.append(.error(place, "`\(member.name.clipped)` is given twice"))
                continue
            }
            guard let known = body(member.name, member.value, &self) else { continue }
            let near = NearestName.of(member.name, among: known)
            diagnostics.append(
                .error(
                    place, "\(what) has no member `\(member.name.clipped)`",
                    hint: near.map { "did you mean `\($0)`?" }
                        ?? "it may have \(known.map { "`\($0)`" }.joined(separator: ", "))"))
        }
    }

    mutating func elements(_ node: JSONDocument.Node, _ name: String) -> [JSONDocument.Node] {
        guard case .array(let elements) = node.content else {
            error(node, "`\(name)` is a list in `[` and `]`, not \(node.kind)")
            return []
        }
        return elements
    }

    mutating func texts(_ node: JSONDocument.Node, _ name: String) -> [String] {
        elements(node, name).compactMap { text($0, name) }
    }

    mutating func text(_ node: JSONDocument.Node, _ name: String) -> String? {
        guard case .string(let text) = node.content else {
            error(node, "`\(name)` is a text in double quotes, not \(node.kind)")
            return nil
        }
        guard !text.isEmpty else {
            error(node, "`\(name)` is empty")
            return nil
        }
        return text
    }

    mutating func number(_ node: JSONDocument.Node, _ name: String, from least: Int, through greatest: Int) -> Int? {
        guard case .number(let number) = node.content, let integer = Int(exactly: number),
            (least...greatest).contains(integer)
        else {
            error(node, "`\(name)` is a whole number from \(least) to \(greatest)")
            return nil
        }
        return integer
    }

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ node: JSONDocument.Node, _ name: String
    ) -> Choice? {
        guard let text = text(node, name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let all = Choice.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        error(node, "`\(name)` cannot be `\(text.clipped)`", hint: "it is one of \(all)")
        return nil
    }

    mutating func folder(_ node: JSONDocument.Node, _ name: String) -> String? {
        guard let folder = text(node, name) else { return nil }
        checkFolder(folder, node)
        return folder
    }

    mutating func checkFolder(_ path: String, _ node: JSONDocument.Node) {
        if path.hasPrefix("/") {
            error(node, "`\(path.clipped)` begins with `/`", hint: "folders are relative to the project file")
        } else if path.split(separator: "/").contains("..") {
            error(node, "`\(path.clipped)` leads out of the project's folder")
        }
    }

    mutating func checkIdentifier(_ name: String, _ node: JSONDocument.Node, _ what: String) {
        let first = name.unicodeScalars.first
        guard name.unicodeScalars.allSatisfy(\.isNameScalar), first?.isASCIIDigit == false, !SwiftName.isKeyword(name)
        else { return error(node, "`\(name.clipped)` cannot be the name of \(what) in Swift") }
    }

    mutating func checkTemplate(_ url: String, _ node: JSONDocument.Node, placeholders: [String]) {
        // The page shows no other links.
        guard let colon = url.firstIndex(of: ":"), ["http", "https"].contains(url[..<colon].lowercased())
        else { return error(node, "`\(url.clipped)` is not an address", hint: "it begins with `https://`") }
        for part in url.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
            let name = part.prefix { $0 != "}" }
            let isClosed = name.count < part.count
            guard isClosed, placeholders.contains(String(name)) else {
                let known = placeholders.map { "`{\($0)}`" }.joined(separator: ", ")
                let found = "{" + String(name).clipped + (isClosed ? "}" : "")
                return error(node, "`\(found)` is not a placeholder", hint: "there are \(known)")
            }
        }
    }
}
