/// TypeScript declarations of all forms, for the page's type checker: `Tests/BrowserTests/api.d.ts`.
package enum PageTypes {
    private static let answers: [[FormDeclaration]] = [
        Endpoints.records.form.declarations, Endpoints.storedRecords.form.declarations,
        Endpoints.record.form.declarations, Endpoints.recordCount.form.declarations, Endpoints.facets.form.declarations,
        Endpoints.tags.form.declarations, PartialAnswer.tags.declarations, Endpoints.sql.form.declarations,
        Endpoints.recordErasure.form.declarations, Endpoints.recordImport.form.declarations,
        Endpoints.status.form.declarations, Endpoints.histogram.form.declarations, Endpoints.sessions.form.declarations,
        PartialAnswer.sessions.declarations, Endpoints.violations.form.declarations, Endpoints.boards.form.declarations,
        Endpoints.recordExplanation.form.declarations, Endpoints.recordBodies.form.declarations,
        Endpoints.losses.form.declarations, Endpoints.releases.form.declarations, Endpoints.filter.form.declarations,
        Endpoints.definitions.form.declarations, Endpoints.definitionCheck.form.declarations,
        Endpoints.coverage.form.declarations, Endpoints.sqlSchema.form.declarations,
        Endpoints.insight.form.declarations, Endpoints.checklists.form.declarations,
        Endpoints.checklistReport.form.declarations, Endpoints.checklistSource.form.declarations,
        Endpoints.checklistCheck.form.declarations, Endpoints.checklistSignOff.form.declarations,
        Endpoints.checklistWrite.form.declarations, Endpoints.boardBlock.form.declarations,
        Endpoints.boardBlockUndo.form.declarations, Endpoints.runs.form.declarations,
        Endpoints.runVerdict.form.declarations,
        Endpoints.pairing.form.declarations, Endpoints.pairingRedeem.form.declarations, LiveNotice.form.declarations,
    ]

    /// - Parameter others: Declarations of other modules.
    package static func text(with others: [FormDeclaration]) -> String {
        var names: Set<String> = []
        let own = (answers.joined() + others).filter { names.insert($0.name).inserted }
        return "// Made from the forms of answers; a test holds it against them.\n\n"
            + own.map(\.text).joined(separator: "\n")
    }
}
