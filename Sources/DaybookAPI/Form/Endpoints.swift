/// The API's endpoints, except those of alerts, which are the collector's.
package enum Endpoints {
    package static let status = Endpoint("GET", "status", StatusAnswer.form)

    // Records.
    package static let records = Endpoint(
        "GET", "records", parameters: RecordParameters.namesOfPage, RecordsAnswer.shown)
    /// With `form=stored`.
    package static let storedRecords = Endpoint("GET", "records", parameters: records.parameters, RecordsAnswer.stored)
    package static let record = Endpoint("GET", "records/{id}", parameters: ["private"], RecordAnswer.form)
    package static let recordCount = Endpoint(
        "GET", "records/count", parameters: RecordParameters.names, CountAnswer.form)
    package static let recordExplanation = Endpoint("GET", "records/{id}/explanation", RecordExplanation.form)
    package static let recordBodies = Endpoint("GET", "records/{id}/bodies", RecordBodies.form)
    package static let recordErasure = Endpoint(
        "DELETE", "records", parameters: FilterParameters.names.subtracting(["live"]), ErasureAnswer.form)
    package static let recordImport = Endpoint("POST", "import", parameters: ["stream"], ImportAnswer.form)
    package static let filter = Endpoint("GET", "filter", parameters: ["filter"], FilterAnswer.form)

    // Counts.
    package static let histogram = Endpoint(
        "GET", "histogram", parameters: HistogramQuestion.names, HistogramAnswer.form)
    package static let facets = Endpoint("GET", "facets", parameters: FacetsQuestion.names, FacetsAnswer.form)
    package static let violations = Endpoint(
        "GET", "violations", parameters: RecordParameters.names, ViolationsAnswer.form)
    package static let tags = Endpoint("GET", "tags", parameters: TagsQuestion.names, TagsAnswer.form)
    package static let sessions = Endpoint(
        "GET", "sessions", parameters: SessionsQuestion.names, SessionsAnswer.form)
    package static let sessionErasure = Endpoint("DELETE", "sessions/{id…}", ErasureAnswer.form)
    package static let losses = Endpoint("GET", "losses", parameters: ["after"], LossesAnswer.form)
    package static let releases = Endpoint(
        "GET", "releases", parameters: ["against", "version"], ReleaseComparison.form)

    // What is defined.
    package static let definitions = Endpoint("GET", "definitions", DefinitionsAnswer.form)
    package static let definitionCheck = Endpoint("POST", "definitions/check", DefinitionCheck.form)
    package static let coverage = Endpoint("GET", "coverage", parameters: ["after"], CoverageAnswer.form)

    // Statements.
    package static let sqlSchema = Endpoint("GET", "sql/schema", SQLSchema.form)
    package static let sql = Endpoint("POST", "sql", parameters: SQLAnswer.parameters, SQLAnswer.shown)
    /// With `form=exact`.
    package static let exactSQL = Endpoint("POST", "sql", parameters: SQLAnswer.parameters, SQLAnswer.exact)
    package static let insightStart = Endpoint("POST", "insights", parameters: ["private"], InsightAnswer.form)
    package static let insight = Endpoint("GET", "insights/{id}", parameters: ["private"], InsightAnswer.form)
    package static let insightEnd = Endpoint("DELETE", "insights/{id}", parameters: ["private"], InsightAnswer.form)
    package static let boards = Endpoint("GET", "boards", BoardsAnswer.form)
    package static let boardBlock = Endpoint("POST", "boards/{id}/blocks", WrittenFile.form)
    package static let boardBlockUndo = Endpoint("POST", "boards/{id}/blocks/undo", WrittenFile.undone)

    // Checklists and runs.
    package static let checklists = Endpoint(
        "GET", "checklists", parameters: ChecklistQuestion.names, ChecklistsAnswer.form)
    package static let checklistReport = Endpoint(
        "GET", "checklists/{id…}/report", parameters: ChecklistQuestion.namesOfReport, ChecklistReport.form)
    package static let checklistSignOff = Endpoint("POST", "checklists/{id…}/signoff", SignedRun.form)
    package static let checklistItem = Endpoint("POST", "checklists/{id…}/items", WrittenFile.form)
    package static let checklistItemUndo = Endpoint("POST", "checklists/{id…}/items/undo", WrittenFile.undone)
    package static let checklistCheck = Endpoint("POST", "checklists/check", ChecklistCheck.form)
    package static let checklistSource = Endpoint("GET", "checklists/{id…}/source", ChecklistSource.form)
    package static let checklistWrite = Endpoint("POST", "checklists/{id…}/source", WrittenChecklist.form)
    package static let runs = Endpoint("GET", "runs", parameters: ["checklist"], RunsAnswer.form)
    package static let runStart = Endpoint("POST", "runs/start", StoredRun.form)
    package static let runFinish = Endpoint("POST", "runs/{id}/finish", StoredRun.form)
    package static let runVerdict = Endpoint("GET", "runs/{id}/verdict", RunVerdict.form)
    package static let pairing = Endpoint("POST", "pairings", OfferedPairing.form)
    package static let pairingRedeem = Endpoint("POST", "pairings/redeem", RedeemedPairing.form)
}
