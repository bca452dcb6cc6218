import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

/// Follows a store for an alert with a checklist: which items failed in the last window, and which `per` values stopped
/// coming. A value type: one task at a time.
///
/// Records count by arrival, because devices send late and their clocks can be wrong.
struct AlertWatch: Sendable {
    /// An item expected for each value seen.
    private struct Counted: Sendable {
        var label: String
        var expectation: ChecklistExpectation
        var columns: [String]
    }

    private static let pageSize = 1_000
    private static let day: Int64 = 86_400_000_000_000

    /// An empty run; knows the persona.
    private let fresh: ChecklistRun
    private var watch: ChecklistWatch
    private let counted: [Counted]
    private let isOneScenario: Bool
    private let masking: MaskingPolicy?
    private let labels: AlertLabels
    private let mask: RecordMask?
    /// Whether it compared values hidden from readers.
    private(set) var comparesHidden = false
    private let judgesHidden: Bool
    /// Selects the tags that items name, so that most of a busy store is not read; `nil` if that filter is too long.
    private let named: FilterExpression?
    /// In nanoseconds.
    private let window: Int64
    /// The last arrival number read; `nil` before the first read.
    private var position: Int64?
    /// When the store was last read, in nanoseconds since 1970; initially the start.
    private(set) var lastRead: Int64
    /// When each `per` value last came, by label. Forgotten after a day and ten windows.
    private(set) var seen: [String: Int64]
    /// Records with values beyond the limit: how many, and when the last came.
    private var crowd: (records: Int, last: Int64)?

    /// - Parameters:
    ///   - every: seconds between the starts of windows.
    ///   - start: nanoseconds since 1970; the first read begins here.
    ///   - seen: values an earlier watch has seen.
    ///   - masking: applies to labels and reasons; `nil` masks nothing.
    ///   - judgesHidden: whether the records are unmasked. Otherwise comparisons of masked values are not judged.
    /// - Throws: if the checklist cannot be judged.
    init(
        _ watched: AlertRule.Watch, every: Int64, from start: Int64, seen: [String: Int64] = [:],
        masking: MaskingPolicy?, labels: AlertLabels, judgesHidden: Bool
    ) throws(ChecklistError) {
        let checklist = watched.checklist
        window = watched.over * 1_000_000_000
        fresh = try ChecklistRun(checklist, persona: watched.persona)
        watch = ChecklistWatch(fresh, from: start, window: window, step: every * 1_000_000_000)
        isOneScenario = checklist.scenarios.count == 1
        let items = checklist.scenarios.flatMap(\.items)
        counted = items.compactMap(Self.counted)
        named = Self.tags(namedBy: items)
        lastRead = start
        (self.seen, self.masking, self.labels) = (seen, masking, labels)
        self.judgesHidden = judgesHidden
        mask = masking.map(RecordMask.init)
    }

    /// A remote collector evaluates it in the filter language, whose length is limited.
    private static func tags(namedBy items: [ChecklistItem]) -> FilterExpression? {
        var tags: Set<String> = []
        for item in items {
            guard case .expectation(let expectation) = item.content else { continue }
            tags.formUnion(expectation.patterns.map(\.description))
        }
        // An expression adds `OR` and, escaped, up to twice the bytes.
        guard !tags.isEmpty, tags.count <= 80, tags.reduce(0, { $0 + 2 * $1.utf8.count + 8 }) <= FilterParser.longest
        else { return nil }
        return .any(tags.sorted().map { .tag($0) })
    }

    private static func counted(_ item: ChecklistItem) -> Counted? {
        guard case .expectation(let expectation) = item.content, !expectation.isNever else { return nil }
        for case .per(let columns) in expectation.clauses.map(\.meaning) {
            return Counted(label: item.text, expectation: expectation, columns: columns)
        }
        return nil
    }

    /// Reads new records, and judges the last complete window.
    /// - Parameter now: nanoseconds since 1970.
    /// - Returns: `nil` if no window has ended since the last call.
    /// - Throws: ``StoreError``.
    mutating func reading(of store: any RecordAccess, at now: Int64) async throws -> AlertAnswer? {
        var query = RecordQuery()
        query.order = .oldestFirst
        query.limit = Self.pageSize
        if let named { query.narrow(by: named) }
        query.after = position
        if position == nil { query.narrow(by: .since(lastRead)) }
        let head = try await store.head()
        var last: ChecklistWatch.Judgement?
        var hasMore = true
        while hasMore {
            let page = try await store.wholeSlice(query)
            for record in page.records where record.row.kind != .run {
                let time = min(max(record.row.time, lastRead), now)
                last = observe(JSONChecklistRecord(record, mask), at: time) ?? last
            }
            hasMore = page.next != nil
            query.after = page.next ?? page.records.last?.id ?? query.after
        }
        position = max(query.after ?? 0, head)
        lastRead = now
        last = watch.advance(to: now).last ?? last
        return last.map { reading(of: $0, at: now) }
    }

    private mutating func observe(_ record: JSONChecklistRecord, at time: Int64) -> ChecklistWatch.Judgement? {
        if !fresh.personaColumns(of: record, that: record.hides).isEmpty { comparesHidden = true }
        // The store holds everyone's records; a persona's watch judges only its own.
        guard fresh.isOfPersona(record) else { return nil }
        for item in counted where item.expectation.selects(record) {
            if item.columns.contains(where: record.hides) { comparesHidden = true }
            let label = labels.label(item.label, item.columns, of: record)
            if seen[label] != nil || seen.count < AlertAnswer.maximumLabels {
                seen[label] = time
            } else {
                crowd = ((crowd?.records ?? 0) + 1, time)
            }
        }
        return judgesHidden
            ? watch.observe(record, at: time, hides: record.hides).last : watch.observe(record, at: time).last
    }

    private mutating func reading(of judgement: ChecklistWatch.Judgement, at now: Int64) -> AlertAnswer {
        var reading = AlertAnswer(values: [:])
        let verdicts = judgesHidden ? judgement.verdicts : judgement.verdicts.map(\.ofWhatIsShown)
        if verdicts.contains(where: { $0.items.contains { !$0.hiddenColumns.isEmpty } }) { comparesHidden = true }
        // Mask here, while values still have columns: a reason's text does not tell which are private.
        for scenario in verdicts.map({ verdict in masking.map(verdict.masked) ?? verdict }) {
            for item in scenario.items {
                let label = labels.fitting(
                    isOneScenario ? item.item.text : "\(scenario.scenario.name) / \(item.item.text)")
                reading.values[label] = Double(item.matches)
                if item.status == .failed || item.status == .notJudged {
                    reading.troubles[label] = item.reason ?? "not fulfilled"
                }
            }
        }
        seen = seen.filter { now - $0.value <= max(Self.day, 10 * window) }
        for (label, time) in seen where now - time > window {
            reading.values[label] = 0
            reading.troubles[label] = "none since " + Timestamp(nanoseconds: time).rfc3339(fractionDigits: 0)
        }
        if let crowd, now - crowd.last > window { self.crowd = nil }
        if let crowd {
            let most = AlertAnswer.maximumLabels
            reading.remarks.append(
                "records with values of `per` columns beyond the \(most) combinations that are watched: \(crowd.records)"
            )
        }
        return reading
    }
}

extension Checklist {
    /// Without the leading blank lines that only shift line numbers.
    var watchedText: String { String(source.drop(while: \.isNewline)) }
}

extension JSONChecklistRecord {
    /// A stored record, identified by its arrival number.
    fileprivate convenience init(_ record: StoredRecord, _ mask: RecordMask?) {
        self.init(
            tag: record.row.tag, number: record.id, time: record.row.time, level: record.row.level,
            session: record.row.session, installation: record.row.installation, attributes: record.row.attributes,
            context: record.row.context, mask: mask)
    }
}
