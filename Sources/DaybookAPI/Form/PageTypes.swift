/// TypeScript declarations of all forms, for the page's type checker: `Tests/BrowserTests/api.d.ts`.
package enum PageTypes {
    private static let declarations: [[FormDeclaration]] = [
        RecordsAnswer.shown.declarations, RecordsAnswer.stored.declarations, RecordAnswer.form.declarations,
        CountAnswer.form.declarations, FacetsAnswer.form.declarations, TagsAnswer.form.declarations,
        PartialAnswer.tags.declarations, SQLAnswer.shown.declarations, ErasureAnswer.form.declarations,
        ImportAnswer.form.declarations, StatusAnswer.form.declarations, HistogramAnswer.form.declarations,
        SessionsAnswer.form.declarations, PartialAnswer.sessions.declarations, ViolationsAnswer.form.declarations,
        BoardsAnswer.form.declarations,
    ]

    package static var text: String {
        var names: Set<String> = []
        let own = declarations.joined().filter { names.insert($0.name).inserted }
        return "// Made from the forms in Sources/DaybookAPI; a test holds it against them.\n\n"
            + own.map(\.text).joined(separator: "\n")
    }
}
