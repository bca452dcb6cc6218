/// TypeScript declarations of all forms, for the page's type checker: `Tests/BrowserTests/api.d.ts`.
package enum PageTypes {
    private static let answers: [[FormDeclaration]] = [
        Endpoint.records.form.declarations, Endpoint.storedRecords.form.declarations,
        Endpoint.record.form.declarations, Endpoint.recordCount.form.declarations, Endpoint.facets.form.declarations,
        Endpoint.tags.form.declarations, PartialAnswer.tags.declarations, Endpoint.sql.form.declarations,
        Endpoint.recordErasure.form.declarations, Endpoint.recordImport.form.declarations,
        Endpoint.status.form.declarations, Endpoint.histogram.form.declarations, Endpoint.sessions.form.declarations,
        PartialAnswer.sessions.declarations, Endpoint.violations.form.declarations, Endpoint.boards.form.declarations,
        Endpoint.recordExplanation.form.declarations, Endpoint.recordBodies.form.declarations,
        Endpoint.losses.form.declarations, Endpoint.releases.form.declarations, Endpoint.filter.form.declarations,
        Endpoint.definitions.form.declarations, Endpoint.definitionCheck.form.declarations,
        Endpoint.coverage.form.declarations, Endpoint.sqlSchema.form.declarations,
        Endpoint.insight.form.declarations, Endpoint.checklists.form.declarations,
        Endpoint.checklistReport.form.declarations, Endpoint.checklistSource.form.declarations,
        Endpoint.checklistCheck.form.declarations, Endpoint.checklistSignOff.form.declarations,
        Endpoint.checklistWrite.form.declarations, Endpoint.boardBlock.form.declarations,
        Endpoint.boardBlockUndo.form.declarations, Endpoint.runs.form.declarations,
        Endpoint.runVerdict.form.declarations,
        Endpoint.pairing.form.declarations, Endpoint.pairingRedeem.form.declarations, LiveNotice.form.declarations,
    ]

    /// - Parameter others: Of answers that another module has.
    package static func text(with others: [FormDeclaration]) -> String {
        var names: Set<String> = []
        let own = (answers.joined() + others).filter { names.insert($0.name).inserted }
        return "// Made from the forms of answers; a test holds it against them.\n\n"
            + own.map(\.text).joined(separator: "\n")
    }
}
