// Made from the forms of answers; a test holds it against them.

type Violation = {
    kind: string;
    column: string | null;
    message: string;
    expected: string | null;
    found: string | null;
};

type LogRecord = {
    id: Integer;
    uid: string;
    time: Nanoseconds;
    kind: Kind;
    /** OpenTelemetry's severity number, 0 where the sender gave none. */
    level: number;
    tag: string;
    message: string | null;
    module: string | null;
    /** An object; a string where what is stored is no JSON. */
    attributes: Json;
    context: Json;
    session: string | null;
    installation: string | null;
    trace_id: string | null;
    span_id: string | null;
    parent_span_id: string | null;
    duration: Nanoseconds | null;
    file: string | null;
    function: string | null;
    line: number | null;
    violations: Violation[];
    /** Whether no clock that was set can have said its time. */
    implausible: boolean;
    /** Whether values are masked here that `private=show` shows. */
    masked: boolean;
    /** Whether long values are cut here that the record itself has. */
    cut: boolean;
};

type Progress = {
    done: Integer;
    total: Integer;
};

type RecordPage = {
    head: Integer;
    records: LogRecord[];
    partial: boolean;
    /** Where to go on, or null when every record was looked at; by time `TIME.ID`. */
    next: Integer | null;
    progress: Progress;
};

type StoredRecord = {
    id: Integer;
    time: Nanoseconds;
    kind: Kind;
    level: number;
    uid: string;
    tag: string;
    message?: string;
    module?: string;
    attributes: string;
    context: string;
    session?: string;
    installation?: string;
    trace_id?: string;
    span_id?: string;
    parent_span_id?: string;
    file?: string;
    function?: string;
    duration?: Nanoseconds;
    line?: number;
};

type StoredRecordPage = {
    head: Integer;
    records: StoredRecord[];
    partial: boolean;
    /** Where to go on, or null when every record was looked at; by time `TIME.ID`. */
    next: Integer | null;
    progress: Progress;
};

type RecordAnswer = {
    record: LogRecord;
    undefined: boolean;
    nearest: string | null;
};

type RecordCount = {
    head: Integer;
    count: number;
    more: boolean;
    next: Integer | null;
    progress: Progress;
};

type FacetValue = {
    value: string;
    count: Integer;
};

type FacetCut = {
    values: Integer;
    records: Integer;
    most: Integer;
};

type FacetCounts = {
    values: { [name: string]: FacetValue[] };
    /** What is left out of a field's values: the sum of `most` over all parts is what counts are too low by at most. */
    cut: { [name: string]: FacetCut };
    next: Integer | null;
    progress: Progress;
};

type VersionCount = {
    version: string | null;
    count: Integer;
};

type TagSummary = {
    tag: string;
    kind: Kind;
    count: Integer;
    first_time: Nanoseconds;
    last_time: Nanoseconds;
    versions: VersionCount[];
};

type UnlistedNames = {
    tags: Integer;
    versions: Integer;
};

type TagPage = {
    tags: TagSummary[];
    next: string | null;
    /** Records whose names the store's list has had no room for. */
    unlisted: UnlistedNames;
};

type MatchingTags = {
    tags: TagSummary[];
    next: Integer | null;
    progress: Progress;
};

type StatementWarning = {
    line: number;
    column: number;
    message: string;
};

type SQLAnswer = {
    columns: string[];
    rows: Cell[][];
    truncated: boolean;
    masked: boolean;
    milliseconds: number;
    warnings: StatementWarning[];
};

type Erasure = {
    erased: Integer;
    remains: string | null;
};

type ImportAnswer = {
    stored: number;
    duplicates: number;
    unread?: { [name: string]: Integer };
};

type Status = {
    head: Integer;
    /** Rows and time that a statement on the SQL screen has. */
    sql_rows: number;
    sql_milliseconds: number;
    /** Whether phones can be paired with the collector. */
    pairing: boolean;
    /** The screen of an address that names none. */
    start: string;
};

type Histogram = {
    start: Nanoseconds;
    width: Nanoseconds;
    buckets: number;
    counts: { [name: string]: number[] };
    /** Of what is not told apart; empty where there is nothing. */
    others: number[];
    /** Records that match and are in no bucket, for their times are implausible. */
    outside: number;
    next: Integer | null;
    progress: Progress;
};

type SessionSummary = {
    session: string;
    installation: string | null;
    version: string | null;
    device: string | null;
    count: Integer;
    errors: Integer;
    first_time: Nanoseconds;
    last_time: Nanoseconds;
};

type SessionPage = {
    sessions: SessionSummary[];
    next: string | null;
};

type MatchingSessions = {
    sessions: SessionSummary[];
    next: Integer | null;
    progress: Progress;
};

type ViolationCount = {
    tag: string;
    kind: string;
    column: string | null;
    message: string;
    expected: string | null;
    found: string | null;
    count: Integer;
};

type ViolationCounts = {
    head: Integer;
    /** How many records have any. */
    records: number;
    violations: ViolationCount[];
    next: Integer | null;
    progress: Progress;
};

type HeadingBlock = {
    title: string;
    line: number;
    kind: "heading";
};

type ProseBlock = {
    title: string;
    line: number;
    kind: "prose";
    text: string;
};

type FilterBlock = {
    title: string;
    line: number;
    kind: "filter";
    filter: string;
};

type StatementBlock = {
    title: string;
    line: number;
    kind: "sql";
    sql: string;
    chart: ChartKind;
    x: string | null;
    /** Columns, with commas. */
    y: string | null;
    series: string | null;
};

type BoardBlock = HeadingBlock | ProseBlock | FilterBlock | StatementBlock;

type Board = {
    id: string;
    title: string;
    file: string;
    /** Of the file's text, which an addition is made over. */
    version: string;
    /** What is wrong with the file, with the places. */
    problems: string[];
    blocks: BoardBlock[];
};

type BoardsAnswer = {
    writable: boolean;
    boards: Board[];
};

type Interval = {
    /** Not included; `through` is. */
    after: Integer;
    through: Integer;
};

type ReportedLoss = {
    reason: string;
    count: Integer;
};

type StreamAccount = {
    stream: string;
    stored: Integer;
    duplicates: Integer;
    gaps: Interval[];
    losses: ReportedLoss[];
};

type Explanation = {
    stream: string | null;
    sequence: Integer | null;
    settled: Interval | null;
    ledger: StreamAccount | null;
    /** How many accounts have the stream's name: of its outputs and signals, and of whoever else has named it. */
    accounts: number;
    /** How many values were replaced before the record was stored. */
    redacted: number;
    defined: boolean;
    view: string | null;
    private: string[];
    sensitive: string[];
};

type RecordBodies = {
    request: string | null;
    response: string | null;
};

type Loss = {
    installation: string | null;
    version: string | null;
    owner: string | null;
    reason: string;
    count: Integer;
};

type LossPage = {
    losses: Loss[];
    next: string | null;
};

type Release = {
    version: string;
    count: Integer;
    first_time: Nanoseconds;
    last_time: Nanoseconds;
};

type ReleaseName = {
    tag: string;
    kind: Kind;
    count: Integer;
    before: Integer;
};

type ReleaseComparison = {
    /** The newest version unless another was asked for; null where no record has one. */
    version: string | null;
    against: string | null;
    /** The newest first. */
    versions: Release[];
    names: ReleaseName[];
    /** How many names are left out. */
    more: number;
    /** Whether there are more versions or names than are counted. */
    partial: boolean;
    /** How many records have names that the store's list has had no room for. */
    unlisted: UnlistedNames;
};

type FilterPart = {
    start: number;
    end: number;
    text: string;
    /** What it asks about by `=` or `:`, as it was written. */
    name: string | null;
    negated: boolean;
};

type FilterProblem = {
    column: number;
    message: string;
};

type ReadFilter = {
    parts: FilterPart[];
    alternatives: boolean;
    names: string[];
    taken: string[];
    own: boolean;
    sql: string | null;
    error: FilterProblem | null;
};

type DeclaredValue = {
    value: string;
    description: string;
};

type ColumnDefinition = {
    name: string;
    /** As it is spelt in the definitions: `!bigint`, `!string 256`, `Order`. */
    type: string;
    optional: boolean;
    obsolete: boolean;
    classification: "plain" | "private" | "sensitive";
    notes: string[];
    values: DeclaredValue[];
};

type EventDefinition = {
    name: string;
    tag: string;
    /** The event's typed view in the store. */
    view: string;
    description: string;
    columns: ColumnDefinition[];
    obsolete: boolean;
    location: string;
};

type CategoryDefinition = {
    name: string;
    /** Markdown, as all descriptions and notes. */
    description: string;
    columns: ColumnDefinition[];
    events: EventDefinition[];
};

type LinkTemplate = {
    title: string;
    url: string;
};

type TeamLinks = {
    event: LinkTemplate[];
    request: LinkTemplate[];
};

type Definitions = {
    common: ColumnDefinition[];
    categories: CategoryDefinition[];
    links?: TeamLinks;
};

type Diagnostic = {
    severity: "error" | "warning";
    line: number;
    column: number;
    message: string;
    hint: string | null;
};

type DefinitionCheck = {
    diagnostics: Diagnostic[];
    definitions: Definitions;
};

type EventCall = {
    file: string;
    line: Integer;
};

type EventCoverage = {
    event: string;
    calls: Integer | null;
    called: EventCall[];
    fired: Integer | null;
};

type CoveragePage = {
    written: Nanoseconds | null;
    events: EventCoverage[];
    next: number | null;
};

type SQLColumn = {
    name: string;
    about: string;
};

type SQLTable = {
    name: string;
    about: string;
    columns: SQLColumn[];
};

type SQLSchema = {
    dialect: "sqlite" | "postgresql" | "clickhouse" | null;
    tables: SQLTable[];
};

type InsightAnswer = {
    id: number;
    insight: string;
    kind: InsightKind;
    /** The column that says how many. */
    counted: string;
    sql: string;
    warnings: string[];
    running: boolean;
    milliseconds: number;
    limit_milliseconds: number;
    progress?: Progress;
    columns?: string[];
    /** Shares are of 1, durations seconds. */
    rows?: ((string | number | null)[])[];
    truncated?: boolean;
    /** Of the parameter: less frequent ones, which are left out. */
    more_values?: Integer;
};

type Judging = {
    installation: string | null;
    session: string | null;
    version: string | null;
    persona: string | null;
    records: Integer;
    first: Integer | null;
    last: Integer | null;
    sessions: string[];
    installations: string[];
    versions: string[];
    devices: string[];
};

type SignOff = {
    id: Integer;
    persona: string | null;
    tester: string;
    build: string | null;
    device: string | null;
    time: Nanoseconds;
    notes: string | null;
    ok: number;
    failed: number;
    waiting: number;
    waived: number;
};

type StoredRun = {
    id: Integer;
    checklist: string;
    scenario: string | null;
    persona: string | null;
    tester: string | null;
    build: string | null;
    /** Whether a device marked it, and no person. */
    device: boolean;
    installation: string | null;
    session: string | null;
    version: string | null;
    started: Nanoseconds;
    finished: Nanoseconds | null;
    signed_off: SignOff | null;
};

type BoardEntry = {
    state: "under_way" | "signed_off";
    id: Integer;
    installation: string | null;
    session: string | null;
    version: string | null;
    persona: string | null;
    tester: string | null;
    build: string | null;
    device: string | null;
    time: Nanoseconds;
    ok: number;
    failed: number;
    waiting: number;
    waived: number;
};

type Phrase = {
    code: string;
    arguments: { [name: string]: string };
};

type EvidenceValue = {
    column: string;
    value: Json;
};

type Evidence = {
    id: Integer;
    time: Nanoseconds;
    tag: string;
    values: EvidenceValue[];
    note: string | null;
    /** What `note` is made of; none for null, or a text that is cut. */
    phrases: Phrase[];
};

type ChecklistItem = {
    id: string;
    text: string;
    /** A tag, or what ends in `.*` or `.**`; null for a manual item. */
    pattern: string | null;
    tests: string[];
    notes: string[];
    state: ItemState;
    provisional: boolean;
    /** In English. */
    reason: string | null;
    /** What `reason` is made of; none for null, or a text that is cut. */
    phrases: Phrase[];
    matches: number;
    records: Evidence[];
    /** Why somebody signed off all the same. */
    waiver: string | null;
    ticked: boolean;
};

type Scenario = {
    id: string;
    title: string;
    passed: boolean;
    /** `nothing_judged` where no item was judged, so that nothing can have passed. */
    result: ChecklistResult;
    /** How many items records decide. */
    judged: number;
    /** Why it fails as a whole, in English. */
    problem: string | null;
    /** What `problem` is made of; none for null, or a text that is cut. */
    phrases: Phrase[];
    waiver: string | null;
    items: ChecklistItem[];
};

type Checklist = {
    id: string;
    title: string;
    /** A run holds the records that arrived after this one. */
    since: Integer;
    personas: string[];
    judging: Judging;
    /** The run that was asked for. */
    run: StoredRun | null;
    signed_off: SignOff | null;
    /** A digest of the definitions when it was signed off. */
    definitions: string | null;
    passed: boolean;
    /** `nothing_judged` where no item was judged, so that nothing can have passed. */
    result: ChecklistResult;
    /** How many items records decide. */
    judged: number;
    board: BoardEntry[];
    writable: boolean;
    /** Of the file's text, which a change of it is made over. */
    version: string;
    scenarios: Scenario[];
};

type ChecklistBoard = {
    judged: Integer;
    head: Integer;
    checklists: Checklist[];
};

type ChecklistReport = {
    markdown?: string;
    junit?: string;
};

type ChecklistSource = {
    file: string;
    markdown: string;
    version: string;
    writable: boolean;
};

type OutlineItem = {
    text: string;
    /** From 1. */
    line: number;
    /** The last line. */
    end: number;
    manual: boolean;
};

type OutlineScenario = {
    name: string;
    line: number;
    items: OutlineItem[];
};

type ChecklistCheck = {
    diagnostics: Diagnostic[];
    title: string | null;
    scenarios: OutlineScenario[];
    folder: boolean;
};

type SignedRun = {
    id: Integer;
    run: Integer;
};

type WrittenChecklist = {
    id: string;
    file: string;
    version: string;
};

type WrittenFile = {
    file: string;
    version: string;
};

type RevertedFile = {
    file: string;
    version: string | null;
};

type RunList = {
    runs: StoredRun[];
};

type RunVerdict = {
    run: StoredRun;
    passed: boolean;
    /** `nothing_judged` where no item was judged, so that nothing can have passed. */
    result: ChecklistResult;
    /** How many items records decide. */
    judged: number;
    records: Integer;
    scenarios: Scenario[];
};

type Pairing = {
    link: string;
    collector: string;
    /** Only programs of the collector's own machine reach it. */
    local: boolean;
    seconds: number;
};

type PairedChecklist = {
    id: string;
    title: string;
    markdown: string;
};

type PairedPersona = {
    name: string;
    values: { [name: string]: Json };
};

type RedeemedPairing = {
    key: string | null;
    expires: Nanoseconds | null;
    tester: string | null;
    run: Integer | null;
    checklist: PairedChecklist | null;
    persona: PairedPersona | null;
};

type LiveNotice = {
    head: Integer;
};

type AlertLabel = {
    label: string | null;
    state: AlertState;
    since: Nanoseconds;
    value: number | null;
    reason: string | null;
    /** Whether nobody is told for now. */
    held: boolean;
};

type AlertDelivery = {
    target: string;
    tried: Nanoseconds | null;
    failure: string | null;
    failures: number;
    waiting: number;
    next_try: Nanoseconds | null;
};

type AlertMute = {
    since: Nanoseconds;
    until: Nanoseconds;
    by: string;
};

type Alert = {
    name: string;
    state: AlertState;
    description: string;
    /** null for an alert that watches a checklist instead. */
    sql: string | null;
    checklist: string | null;
    condition: string;
    every: string;
    targets: string[];
    evaluated: Nanoseconds | null;
    failure: string | null;
    /** What the last evaluation did not judge. */
    left_out: string[];
    labels: AlertLabel[];
    deliveries: AlertDelivery[];
    mute: AlertMute | null;
    /** As they stand in the file. */
    quiet: string[];
    file: string;
    line: number;
};

type AlertNotices = {
    waiting: number;
    delivered: number;
    dropped: number;
    merged: number;
};

type AlertList = {
    alerts: Alert[];
    notices: AlertNotices | null;
};

type AlertEvent = {
    kind: "fired" | "held" | "resolved" | "delivered" | "refused" | "dropped" | "muted" | "unmuted";
    time: Nanoseconds;
    count: number;
    since?: Nanoseconds;
    label?: string;
    value?: number;
    reason?: string;
    target?: string;
    by?: string;
    until?: Nanoseconds;
};

type AlertEvents = {
    events: AlertEvent[];
};

type WrittenAlert = {
    file: string;
    version: string;
    warnings: StatementWarning[];
};

type RemovedAlert = {
    file: string;
};
