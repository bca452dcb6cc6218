// Made from the forms in Sources/DaybookAPI; a test holds it against them.

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
