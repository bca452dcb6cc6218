import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookTools
import Foundation

struct FixtureSource {
    var path: String
    /// Relative to the given folder, without the extension.
    var name: String
}

/// Converts text fixtures and recorded requests to typed records, and collects what it could not convert.
struct FixtureImport {
    private static let endings = [".json", ".ndjson", ".jsonl", ".har"]

    private let definitions: Definitions
    private let rules: RequestRules?
    /// Records converted.
    private(set) var taken = 0
    private(set) var problems: [InputError] = []
    /// Requests that no rule matches (perhaps unrelated to logs), that failed or were resent, and other omissions.
    private(set) var passedOver: [InputError] = []

    /// - Parameter rules: convert requests to records.
    init(definitions: Definitions, rules: RequestRules?) { (self.definitions, self.rules) = (definitions, rules) }

    /// The given files, and all non-hidden files of folders, by name.
    /// - Throws: ``InputError`` if a folder has none.
    static func files(_ paths: [String]) throws(InputError) -> [FixtureSource] {
        var files: [FixtureSource] = []
        for path in paths {
            guard PathFolder.isFolder(path) else {
                files.append(FixtureSource(path: path, name: PathFolder.name(of: path)))
                continue
            }
            let folder = path + (path.hasSuffix("/") ? "" : "/")
            let found = ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted().filter { name in
                !PathFolder.isFolder(folder + name) && !name.split(separator: "/").contains { $0.hasPrefix(".") }
            }
            guard !found.isEmpty else { throw InputError(file: path, message: "has no files") }
            files += found.map { FixtureSource(path: folder + $0, name: PathFolder.withoutEnding($0)) }
        }
        return files
    }

    mutating func lines(of file: FixtureSource) throws -> [String] {
        do {
            let name = file.path.hasSuffix(".gz") ? String(file.path.dropLast(3)) : file.path
            let isThere = FileManager.default.fileExists(atPath: file.path)
            guard !isThere || Self.endings.contains(where: { name.hasSuffix($0) }) else {
                let names = Self.endings.joined(separator: ", ")
                throw InputError(file: file.path, message: "is not one of \(names), also with .gz")
            }
            return name.hasSuffix(".har") ? try requests(file.path) : try fixture(file.path)
        } catch let error as InputError {
            problems.append(error)
            return []
        }
    }

    private mutating func fixture(_ path: String) throws -> [String] {
        let located = try FixtureFile.read(path)
        var result: [String] = []
        if let note = FixtureFile.note(on: located, in: path) { passedOver.append(note) }
        if located.lines.allSatisfy(\.isEmpty) { passedOver.append(InputError(file: path, message: "has no record")) }
        for (expected, lines) in zip(located.fixture.events, located.lines) {
            for (record, line) in zip(expected.records, lines) {
                result += self.line(expected.event, record, at: .init(file: path, line: line))
            }
        }
        return result
    }

    private mutating func requests(_ path: String) throws -> [String] {
        guard let rules else {
            throw InputError(file: path, message: "contains requests; --request-rules FILE turns them into records")
        }
        var result: [String] = []
        let entries = try RequestArchive.entries(in: try TextFile.read(path), file: path)
        if entries.isEmpty { passedOver.append(InputError(file: path, message: "has no request")) }
        for entry in entries {
            let place = FilePlace(file: path, line: entry.line)
            let target = entry.request.target.prefix { $0 != "?" }
            guard rules.take(entry.request) else {
                passedOver.append(
                    place.error("no rule matches \(entry.request.method) \(entry.request.host ?? "")\(target)"))
                continue
            }
            if let outcome = entry.outcome {
                passedOver.append(place.error("\(entry.request.method) \(target) \(outcome); it is not converted"))
                continue
            }
            do throws(RequestRules.Problem) {
                result += try lines(of: entry.readableRequest(), by: rules, at: place)
            } catch {
                problems.append(place.error(error.description))
            }
        }
        return result
    }

    /// A request's records; entries without one are kept for the report.
    private mutating func lines(
        of request: RequestRules.Request, by rules: RequestRules, at place: FilePlace
    ) throws(RequestRules.Problem) -> [String] {
        var result: [String] = []
        var skipped = Unread()
        guard var reading = try rules.reading(request) else { return [] }
        while let entry = reading.next() {
            switch entry {
            case .event(let event): result += line(event.tag, event.attributes.columns, at: place)
            case .refused(let refusal): problems.append(place.error(refusal.description))
            case .skipped(let what), .absent(let what): skipped.add(what)
            }
        }
        if !reading.unread.isEmpty { passedOver.append(place.error("not read: \(reading.unread.text())")) }
        if !skipped.isEmpty {
            passedOver.append(place.error("no rule takes an entry of it: \(skipped.text())"))
        }
        return result
    }

    /// Empty if the record violates the definitions.
    private mutating func line(
        _ event: String, _ record: [String: ChecklistValue], at place: FilePlace
    ) -> [String] {
        do throws(InputError) {
            let event = try DefinedColumns(of: event, in: definitions, at: place)
            var columns: [(String, ChecklistValue)] = []
            for (name, value) in record.sorted(by: { $0.key < $1.key }) {
                columns.append((name, try event.typed(value, as: name, at: place)))
            }
            taken += 1
            return [FixtureLine.text(tag: event.tag, columns: columns)]
        } catch {
            problems.append(error)
            return []
        }
    }
}

struct FixtureFolder {
    private let path: String
    private var written: [String: String] = [:]

    init(_ path: String) throws(InputError) { self.path = path + (path.hasSuffix("/") ? "" : "/") }

    /// Writes `NAME.ndjson`.
    /// - Throws: ``InputError`` if that is the source, was already written, or is not writable.
    mutating func write(_ text: String, for file: FixtureSource) throws(InputError) {
        let target = path + file.name + ".ndjson"
        func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        guard real(target) != real(file.path) else {
            throw InputError(file: file.path, message: "would be overwritten; name another folder with --output")
        }
        if let other = written.updateValue(file.path, forKey: target) {
            throw InputError(file: file.path, message: "would overwrite the result of \(other): \(target)")
        }
        do {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: target).deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw InputError(file: target, message: "cannot be written: \(error.fileReason)")
        }
        try TextFile.write(text, to: target)
    }
}

struct FilePlace {
    var file: String
    /// From 1; `nil` for the whole file.
    var line: Int?

    func error(_ message: String) -> InputError { InputError(file: file, line: line, message: message) }
}

/// A defined event's columns, looked up by full or bare name.
struct DefinedColumns {
    let tag: String
    private let columns: [Column]

    /// - Throws: ``InputError`` if the name is unknown or ambiguous.
    init(of name: String, in definitions: Definitions, at place: FilePlace) throws(InputError) {
        let known = definitions.categories.flatMap { category in
            category.events.map { ("\(category.name).\($0.name)", $0.columns + category.columns + definitions.common) }
        }
        let found = known.filter { $0.0 == name || (!name.contains(".") && $0.0.hasSuffix("." + name)) }
        guard found.count == 1 else {
            let problem =
                found.isEmpty
                ? "no event `\(name)` is defined"
                    + (NearestName.of(name, among: known.map(\.0)).map { "; did you mean `\($0)`?" } ?? "")
                : "`\(name)` may be \(found.map(\.0).joined(separator: " or ")); write the full name"
            throw place.error(problem)
        }
        (tag, columns) = found[0]
    }

    /// - Throws: ``InputError`` for an unknown column.
    func column(_ name: String, at place: FilePlace) throws(InputError) -> Column {
        if let column = columns.first(where: { $0.name == name }) { return column }
        let near = NearestName.of(name, among: columns.map(\.name)).map { "; did you mean `\($0)`?" }
        throw place.error("`\(tag)` has no column `\(name)`" + (near ?? ""))
    }

    /// Converts a fixture's value to its column's type; matchers and typed values stay.
    /// - Throws: ``InputError`` for an unknown column or an invalid text.
    func typed(_ value: ChecklistValue, as name: String, at place: FilePlace) throws(InputError) -> ChecklistValue {
        let column = try column(name, at: place)
        guard case .text(let text) = value, !text.hasPrefix("@") else { return value }
        guard let typed = column.type.value(ofText: text).flatMap(ChecklistValue.init) else {
            throw place.error("`\(text)` is not a value of `\(name)` of \(tag), which is \(column.type.source)")
        }
        return typed
    }
}
