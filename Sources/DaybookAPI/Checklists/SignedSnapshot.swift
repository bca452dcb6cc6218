import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookStore
import Foundation

/// The state frozen by a sign-off: the checklist, each item's verdict, and the records that prove it. Part of the
/// sign-off's record, so it is exported with it, and later records do not change it.
///
/// Omits records' values and masks private ones in reasons, so that erased values do not survive here.
package struct SignedSnapshot: Codable, Sendable, Hashable {
    struct Scenario: Codable, Sendable, Hashable {
        var name: String
        var problem: String?
        var phrases: [Phrase]?
        var waiver: String?
        /// See ``ScenarioProblem/hiddenColumns``.
        var hidden: [String]?
        /// In the order of the checklist.
        var items: [Item]
    }

    struct Item: Codable, Sendable, Hashable {
        var text: String
        var state: String
        var reason: String?
        var phrases: [Phrase]?
        var matches: Int
        var records: [Record]
        var waiver: String?
        var ticked: Bool?
        /// See ``ItemVerdict/hiddenColumns``.
        var hidden: [String]?
    }

    struct Record: Codable, Sendable, Hashable {
        var number: Int64
        /// Nanoseconds since 1970.
        var time: Int64
        var tag: String
        var note: String?
        var phrases: [Phrase]?
    }

    /// A part of the sentence beside it, for translation. Sign-offs of earlier versions have none.
    struct Phrase: Codable, Sendable, Hashable {
        var code: String
        var arguments: [String: String]
    }

    /// The checklist's file and text, as judged.
    var file: String
    var markdown: String
    /// A digest of the definitions; `nil` without any.
    var definitions: String?
    /// The number of judged records, and the first and last arrival number.
    var records: Int64
    var first: Int64?
    var last: Int64?
    var sessions: [String]
    var installations: [String]
    var versions: [String]
    var devices: [String]
    var scenarios: [Scenario]

    /// - Parameter verdicts: As the audience may see them, with private values masked.
    package init(_ verdicts: [ScenarioVerdict], of run: JudgedRun, definitions: String?) {
        (file, markdown, self.definitions) = (run.checklist.file, run.checklist.source, definitions)
        (records, first, last) = (run.seen.records, run.seen.first, run.seen.last)
        (sessions, installations) = (run.seen.sessions, run.seen.installations)
        (versions, devices) = (run.seen.versions, run.seen.devices)
        scenarios = verdicts.map { verdict in
            Scenario(
                name: verdict.scenario.name,
                problem: verdict.problem?.reason, phrases: verdict.problem?.why.stored,
                waiver: verdict.problem?.waiver, hidden: verdict.problem?.hiddenColumns.stored,
                items: verdict.items.map { item in
                    Item(
                        text: item.item.text, state: item.status.rawValue,
                        reason: item.reason, phrases: item.why?.stored, matches: item.matches,
                        records: item.evidence.map {
                            Record(
                                number: $0.number, time: $0.time, tag: $0.tag, note: $0.note,
                                phrases: $0.remark?.stored)
                        }, waiver: item.waiver, ticked: item.isTicked ? true : nil, hidden: item.hiddenColumns.stored)
                })
        }
    }

    package var json: String {
        get throws(Problem) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(self) else {
                throw Problem(.storage, "The sign-off cannot be written.")
            }
            return String(decoding: data, as: UTF8.self)
        }
    }

    /// The snapshot in a sign-off's record; `nil` if missing or unreadable.
    init?(_ record: StoredRecord) {
        struct Attributes: Decodable { var snapshot: SignedSnapshot }
        guard let found = try? JSONDecoder().decode(Attributes.self, from: Data(record.row.attributes.utf8)) else {
            return nil
        }
        self = found.snapshot
    }

    var checklist: Checklist? { try? Checklist(signed: markdown, file: file) }

    /// The signed verdicts on the items of `checklist`.
    func verdicts(of checklist: Checklist) -> [ScenarioVerdict] {
        scenarios.compactMap { scenario in
            guard let own = checklist.scenarios.first(where: { $0.name == scenario.name }) else { return nil }
            return ScenarioVerdict(
                scenario: own,
                problem: scenario.problem.map {
                    var problem = ScenarioProblem(
                        because: Reason(stored: $0, scenario.phrases), evidence: [], waiver: scenario.waiver)
                    problem.hiddenColumns = Set(scenario.hidden ?? [])
                    return problem
                },
                items: zip(own.items, scenario.items).map { item, stored in
                    var verdict = ItemVerdict(
                        item: item, status: ItemVerdict.Status(rawValue: stored.state) ?? .notJudged,
                        isProvisional: false, because: stored.reason.map { Reason(stored: $0, stored.phrases) },
                        evidence: stored.records.map { record in
                            var evidence = Evidence(
                                number: record.number, time: record.time, tag: record.tag, values: [])
                            evidence.remark = record.note.map { Reason(stored: $0, record.phrases) }
                            return evidence
                        }, matches: stored.matches)
                    (verdict.waiver, verdict.isTicked) = (stored.waiver, stored.ticked == true)
                    verdict.hiddenColumns = Set(stored.hidden ?? [])
                    return verdict
                })
        }
    }

    var seen: JudgedRun.Seen {
        var seen = JudgedRun.Seen()
        (seen.records, seen.first, seen.last) = (records, first, last)
        (seen.sessions, seen.installations) = (sessions, installations)
        (seen.versions, seen.devices) = (versions, devices)
        return seen
    }
}

extension Set<String> {
    fileprivate var stored: [String]? { isEmpty ? nil : sorted() }
}

extension Reason {
    fileprivate var stored: [SignedSnapshot.Phrase]? {
        guard !phrases.isEmpty else { return nil }
        return phrases.map { phrase in
            SignedSnapshot.Phrase(code: phrase.code.rawValue, arguments: phrase.arguments.mapValues(\.text))
        }
    }

    /// Restores a stored reason. Drops phrases that are unknown or differ from the text.
    fileprivate init(stored text: String, _ stored: [SignedSnapshot.Phrase]?) {
        let phrases = (stored ?? []).compactMap { Phrase(code: $0.code, arguments: $0.arguments) }
        self.init(text: text, phrases: phrases)
    }
}
