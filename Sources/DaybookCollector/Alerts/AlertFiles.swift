import DaybookAPI
import DaybookBase
import DaybookDefinitions
import DaybookHTTP
import DaybookTools
import Foundation

/// Writes alerts made from a statement to the team's alert folder, one file each; a running collector reloads it.
/// Thread-safe.
package final class AlertFiles: Sendable {
    private struct NewAlert {
        var name: String
        var sql: String
        var every: String
        var when: [String]
        var `for`: String?
        var notify: [String]
        var prose: String?
    }

    /// In bytes; the limit of the name and of each setting.
    private static let longestLine = 2_000

    private let folder: String?
    private let secrets: AlertSecrets
    private let tables: StatementTables
    private let masking: MaskingPolicy
    private let edits = OwnedFileEdits()
    /// The file written last, for undo.
    private let last = Mutex<String?>(nil)

    /// - Parameters:
    ///   - folder: `nil` if none is configured; then nothing is written.
    ///   - secrets: for `${NAME}`: an address that does not resolve would reach nobody.
    ///   - tables: the known columns, to check statements.
    ///   - masking: what alert statements cannot see.
    package init(
        folder: String?, secrets: AlertSecrets, tables: StatementTables, masking: MaskingPolicy
    ) {
        (self.folder, self.secrets, self.tables, self.masking) = (folder, secrets, tables, masking)
    }

    /// `POST /api/v1/alerts` and `POST /api/v1/alerts/undo`. The caller checks the token.
    package var routes: [HTTPRoute] {
        [
            HTTPRoute(responding: Endpoints.alertFile, bodyLimit: 131_072) { [self] request in
                try answer(Endpoints.alertFile.form) { try add(request.body) }
            },
            HTTPRoute(responding: Endpoints.alertFileUndo, bodyLimit: 8_192) { [self] request in
                try answer(Endpoints.alertFileUndo.form) { RemovedAlert(file: try undo(request.body)) }
            },
        ]
    }

    private func answer<Answer>(_ form: Form<Answer>, _ body: () throws -> Answer) throws -> HTTPResponse {
        do {
            return HTTPResponse(form, try body())
        } catch let problem as OwnedFile.Problem where problem.kind == .missing {
            throw HTTPRoutingError.badRequest(problem.message)
        } catch let problem as OwnedFile.Problem {
            return HTTPResponse(failure: problem)
        }
    }

    /// Answers with the file and the statement's warnings.
    private func add(_ bytes: [UInt8]) throws -> WrittenAlert {
        let alert = try RequestBody.read(
            bytes,
            "The body is a JSON object: {\"name\": \"…\", \"sql\": \"SELECT …\", \"every\": \"5m\", "
                + "\"when\": [\"value > 0\"]}."
        ) {
            NewAlert(
                name: $0.text("name", limit: Self.longestLine), sql: $0.text("sql", limit: nil),
                every: $0.text("every"), when: $0.texts("when", limit: Self.longestLine), for: $0.text(ifAny: "for"),
                notify: $0.texts(ifAny: "notify", limit: Self.longestLine) ?? [],
                prose: $0.text(ifAny: "prose", limit: nil))
        }
        guard let folder else {
            throw HTTPRoutingError.badRequest("This collector has no folder of alerts; start it with --alerts DIR.")
        }
        let text = try Self.text(of: alert)
        try check(alert, text)
        // Choose and take the name under one folder lock, so that no two alerts share one.
        let (file, version) = try FolderTurn.take(in: folder) { turn in
            let file = try name(of: alert, in: folder)
            let version = try edits.edit(file, over: .version(nil), in: turn) { _ in (text, ()) }.version
            last.withLock { $0 = file }
            return (file, version)
        }
        return WrittenAlert(
            file: file, version: version, warnings: tables.warnings(of: alert.sql, masking: masking))
    }

    /// Throws unless the text parses back to this very alert.
    private func check(_ alert: NewAlert, _ text: String) throws {
        let file = "\(folder ?? "")/\(Self.stem(of: alert)).md"
        let result = AlertParser.parse(text, file: file)
        if let problem = result.problems.first {
            throw HTTPRoutingError.badRequest("The alert cannot be written: \(problem)")
        }
        // Prose and names could contain Markdown that starts another alert or setting.
        guard result.rules.count == 1, let rule = result.rules.first, rule.name == alert.name,
            rule.targets == alert.notify, rule.prose == alert.prose ?? ""
        else {
            throw HTTPRoutingError.badRequest(
                "The name and the description must not contain the beginning of another alert or setting.")
        }
        for target in rule.targets {
            if let failure = AlertTarget.problem(of: target, secrets: secrets) {
                throw HTTPRoutingError.badRequest("The alert cannot be written: \(failure)")
            }
        }
    }

    /// Removes an alert written here, unless its file has changed since.
    private func undo(_ bytes: [UInt8]) throws -> String {
        var wanted: (file: String?, version: String?) = (nil, nil)
        if !bytes.isEmpty {
            wanted = try RequestBody.read(
                bytes, "The body is empty or a JSON object: {\"file\": \"…\", \"version\": \"…\"}."
            ) { ($0.text(ifAny: "file", limit: nil), $0.text(ifAny: "version")) }
        }
        guard let file = wanted.file ?? last.withLock({ $0 }) else {
            throw HTTPRoutingError.badRequest("There is no written alert to revert.")
        }
        _ = try edits.undo(file, over: wanted.version) { _ in }
        last.withLock { if $0 == file { $0 = nil } }
        return file
    }

    /// A free file name; throws if an alert in the folder already has this name.
    private func name(of alert: NewAlert, in folder: String) throws -> String {
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: folder).filter(MarkdownFile.isMarkdown).sorted()
        } catch {
            throw OwnedFile.Problem(.storage, "\(folder) cannot be read: \(error.fileReason)")
        }
        for name in files {
            let file = "\(folder)/\(name)"
            let text = String(decoding: try OwnedFile.read(file) ?? [], as: UTF8.self)
            // Finds headings even in files with other errors.
            let isTaken = MarkdownText(text).lines.contains { line in
                if case .heading(level: 1, let name) = line.kind { name.text == alert.name } else { false }
            }
            if isTaken {
                throw HTTPRoutingError.badRequest("The name “\(alert.name)” is taken by \(file).")
            }
        }
        let stem = Self.stem(of: alert)
        let names = [stem] + (2...files.count + 2).map { "\(stem)_\($0)" }
        return "\(folder)/\(names.first { !files.contains("\($0).md") } ?? stem).md"
    }

    private static func stem(of alert: NewAlert) -> String {
        let words = alert.name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
        return words.isEmpty ? "alert" : String(words.prefix(60))
    }

    /// Format: docs/formats/alerts.md.
    private static func text(of alert: NewAlert) throws -> String {
        let lines = [alert.name, alert.every, alert.for ?? ""] + alert.when + alert.notify
        guard lines.allSatisfy({ !$0.contains(where: \.isNewline) }) else {
            throw HTTPRoutingError.badRequest("A name and a setting are one line each.")
        }
        let sql = TextLines.split(alert.sql)
        let longest = sql.map { $0.drop { $0 == " " }.prefix { $0 == "`" }.count }.max() ?? 0
        let fence = String(repeating: "`", count: max(3, longest + 1))
        let settings =
            ["every \(alert.every)"] + alert.when.map { "when \($0)" } + (alert.for.map { ["for \($0)"] } ?? [])
            + alert.notify.map { "notify \($0)" }
        let prose = alert.prose.map { $0 + "\n\n" } ?? ""
        return "# \(MarkdownText.heading(alert.name))\n\n\(prose)\(fence)sql\n\(alert.sql)\n\(fence)\n\n"
            + settings.map { "- \($0)\n" }.joined()
    }
}
