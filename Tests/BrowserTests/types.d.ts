// The shapes that cross the modules of the inspector's page, for the checker alone: the browser never sees this file.
// Those of the API are described in docs/json-api.md; api.d.ts has them.

// Values.

type Json = null | boolean | number | string | Json[] | JsonObject;
type JsonObject = { [name: string]: Json };
/** An integer; one beyond ±(2⁵³ − 1) comes as a string. */
type Integer = number | string;
/** Nanoseconds, of a duration or since 1970. */
type Nanoseconds = string;
type Language = "en" | "ja" | "ru";
type Kind = "event" | "message" | "error" | "span" | "request" | "run";

// Records.

/** The parameters of a records request; what is unset or empty is left out. */
interface RecordQuery {
    [name: string]: string | number | null | undefined;
    before?: Integer | null;
    after?: Integer | null;
    limit?: number;
    order?: "newest" | "oldest";
    sort?: "time";
    arrived_after?: number;
    /** For whoever asks for what arrives: `last` has no end. */
    live?: "1";
    arrived_before?: number;
}

// Definitions.

/** What the catalog knows of a tag: the event, and its columns after those of its category. */
interface DefinedEvent {
    event: EventDefinition;
    category: CategoryDefinition;
    columns: ColumnDefinition[];
}

/** A record's parameter beside the column that defines it. */
interface Parameter {
    name: string;
    column: ColumnDefinition | null;
    /** undefined where `state` is `absent` (optional) or `missing` (required). */
    value: Json | undefined;
    isPrivate: boolean;
    /** `extra`: the event is defined, the parameter is not. */
    state: "value" | "absent" | "missing" | "extra";
}

// Checklists.

/** `nothing_judged` where no item was judged, so that nothing can have passed. */
type ChecklistResult = "passed" | "failed" | "nothing_judged";

type ItemState = "waiting" | "ok" | "failed" | "manual" | "not_applicable" | "not_judged";

/** In the editor; a new one has no version. */
type EditedSource = Omit<ChecklistSource, "version"> & { version: string | null };

// Alerts.

type AlertState = "unknown" | "inactive" | "pending" | "firing" | "no_data" | "failed" | "hidden";

// SQL.

type Cell = null | number | string | { hex: string };

// Charts.

type ChartKind = "table" | "line" | "area" | "bar" | "number";

/** How an answer is drawn; columns that are not named are chosen by their types. */
interface ChartSettings {
    kind: ChartKind;
    x?: string;
    /** Columns, with commas. */
    y?: string;
    series?: string;
    title?: string;
}

interface ChartSeries {
    name: string;
    values: (number | null)[];
}

interface ChartData {
    /** `at`: milliseconds since 1970, numbers, or the places' order. */
    x: { name: string; type: "time" | "number" | "category"; labels: string[]; at: number[] };
    /** What the values are called. */
    y: string;
    series: ChartSeries[];
    /** How many are left out, because nobody could tell them apart. */
    hidden: { series: number; places: number };
}

/** What the word before the caret may become. */
interface Suggestion {
    text: string;
    kind: "table" | "column" | "event" | "word";
}

/** A statement that ran in this browser. */
interface PastStatement {
    sql: string;
    /** Milliseconds since 1970. */
    at: number;
    rows: number;
    milliseconds: number;
}

// Insights.

type InsightKind = "funnel" | "retention" | "path" | "count" | "measure" | "differ";

/** What stands in the form; empty texts for what is not said. */
interface InsightQuestion {
    kind: InsightKind;
    steps: string[];
    anyOrder: boolean;
    /** Whether a measure shows how its numbers are distributed. */
    buckets: boolean;
    without: string;
    number: string;
    within: string;
    joining: string;
    version: boolean;
    versions: string[];
    parameter: string;
    /** That a difference looks at. */
    columns: string[];
    period: "" | "day" | "week";
    last: string;
}

// Boards and releases.

// The API's answers by their paths. The first that fits holds.

type Answer<Path extends string> =
    Path extends "status" ? Status
    : Path extends "filter" ? ReadFilter
    : Path extends "definitions" ? Definitions
    : Path extends "definitions/check" ? DefinitionCheck
    : Path extends "tags" ? TagPage
    : Path extends "coverage" ? CoveragePage
    : Path extends "losses" ? LossPage
    : Path extends "alerts" ? AlertList & WrittenAlert
    : Path extends "alerts/mute" ? AlertList
    : Path extends `alerts/history?${string}` ? AlertEvents
    : Path extends `alerts/${string}` ? RemovedAlert
    : Path extends "boards" ? BoardsAnswer
    : Path extends `boards/${string}/undo` ? RevertedFile
    : Path extends `boards/${string}` ? WrittenFile
    : Path extends "releases" ? ReleaseComparison
    : Path extends "sql/schema" ? SQLSchema
    : Path extends `sql${string}` ? SQLAnswer
    : Path extends `insights${string}` ? InsightAnswer
    : Path extends "import" ? ImportAnswer
    : Path extends "pairings" ? Pairing
    : Path extends `records/count?${string}` ? RecordCount
    : Path extends `records/${string}/explanation` ? Explanation
    : Path extends `records/${string}/bodies` ? RecordBodies
    : Path extends `records/${string}` ? RecordAnswer
    : Path extends `records?${string}` ? RecordPage
    : Path extends `histogram?${string}` ? Histogram
    : Path extends `facets?${string}` ? FacetCounts
    : Path extends `sessions?${string}` ? SessionPage
    : Path extends `sessions/${string}` ? Erasure
    : Path extends `checklists/${string}/signoff` ? SignedRun
    : Path extends `checklists/${string}/report?${string}` ? ChecklistReport
    : Path extends `checklists/${string}/items/undo` ? RevertedFile
    : Path extends `checklists/${string}/items` ? WrittenFile
    : Path extends "checklists/check" ? ChecklistCheck
    : Path extends `checklists/${string}/source` ? ChecklistSource & WrittenChecklist
    : Path extends "runs/start" ? StoredRun
    : Path extends `runs/${string}/finish` ? StoredRun
    : Path extends `runs?${string}` ? RunList
    : Path extends `violations?${string}` ? ViolationCounts
    : Path extends `checklists${string}` ? ChecklistBoard
    : never;

// The page.

/** What an address says after `#/`. */
interface Route {
    screen: string;
    path: string[];
    params: Params;
}

type Params = { [name: string]: string | undefined };

/** A place to go to; what is null or empty stays out of the address. */
interface Place {
    screen: string;
    path?: string[];
    params?: { [name: string]: string | number | null | undefined };
}

/** Words for a key, with values in their places; `n` also chooses the plural. */
type Translate = (key: string, values?: { [name: string]: Json | undefined }) => string;

/** What every screen is given. */
interface PageContext {
    t: Translate;
    language: Language;
    live: import("../../Sources/DaybookInspector/Assets/js/base/live.js").Live;
    tags: import("../../Sources/DaybookInspector/Assets/js/model/tags.js").Tags;
    catalog: import("../../Sources/DaybookInspector/Assets/js/model/catalog.js").Catalog;
    limits: Status;
    storage: BrowserStorage;
    links: TeamLinks;
    navigate(place: Place, options?: { replace?: boolean }): void;
    /** Whether the panes lie upon each other, as on a phone. */
    isStacked(): boolean;
    /** The statement of the address that is gone to next runs at once. */
    runSQLOnce(): void;
    takeSQLOnce(): boolean;
    /** Tells screen readers, at most once in five seconds. */
    announce(text: string): void;
}

type BrowserStorage = typeof import("../../Sources/DaybookInspector/Assets/js/base/storage.js").storage;
type Catalog = import("../../Sources/DaybookInspector/Assets/js/model/catalog.js").Catalog;

/** A screen: its two panes, and what keys do there; a key does nothing where its function is left out. */
interface PageScreen {
    readonly main: HTMLElement;
    readonly side: HTMLElement;
    show(route: Route): unknown;
    move(step: number): unknown;
    open(): unknown;
    close(): unknown;
    edge?(isLast: boolean): unknown;
    search?(): unknown;
    error?(step: number): unknown;
    include?(): unknown;
    exclude?(): unknown;
    copy?(): unknown;
    mark?(): unknown;
    pause?(): unknown;
    zoom?(factor: number): unknown;
    pan?(share: number): unknown;
    fit?(): unknown;
}

/** What can stand within an element; null, undefined and false leave nothing. */
type Child = Node | string | number | null | undefined | false | Child[];
type Listeners = { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => unknown };
/** Attributes, `class` and `on`; what is null, undefined or false is left out. */
interface Properties {
    [attribute: string]: string | boolean | null | undefined | Listeners;
    class?: string | null;
    on?: Listeners;
}

// What modules of the page hand each other.

/** `null` stands for what the record lacks. */
interface Exchange {
    method: string;
    url: string;
    host: string;
    path: string;
    /** With its question mark. */
    query: string;
    /** null without a response. */
    status: number | null;
    failure: string | null;
    request: ExchangeSide;
    response: ExchangeSide;
    type: string | null;
    /** Of GraphQL. */
    operation: string | null;
    start: bigint;
    nanoseconds: number;
    phases: [phase: string, nanoseconds: number][];
}

interface ExchangeSide {
    headers: HeaderList;
    body: string | null;
    size: number | null;
}

/** In the order of names. */
type HeaderList = [name: string, value: string][];

/** What requests are ranked and drawn by. */
type RankedExchange = Pick<Exchange, "status" | "nanoseconds" | "response">;
type TimedExchange = Pick<Exchange, "start" | "nanoseconds">;

/** An exchange's place in its burst: shares of its length, the length in nanoseconds, whether it is the top row. */
interface BurstBar {
    left: number;
    width: number;
    span: number;
    starts: boolean;
}

interface NetworkEntry {
    record: LogRecord;
    exchange: Exchange;
}

/** Times in nanoseconds. */
interface LaneItem {
    record: LogRecord;
    start: number;
    end: number;
    lane: number;
}

/** The measurements of a name; times in nanoseconds. */
interface LaneGroup {
    name: string;
    kind: Kind;
    /** In the order of their start. */
    items: LaneItem[];
    /** How many lanes hold them without overlap. */
    depth: number;
    count: number;
    errors: number;
    p50: number;
    p95: number;
    max: number;
    total: number;
}

/** A mark of a time axis: its place from 0 to 1, its text, and whether that is a date. */
interface TimeMark {
    share: number;
    text: string;
    isDate: boolean;
}

/** A part of a chart. `series` chooses its colour and pattern, `role` its style. */
interface ChartShape {
    role: "line" | "area" | "bar" | "dot" | "grid" | "base";
    path: string;
    series?: number;
}

interface ChartWords {
    role: "tick" | "name";
    x: number;
    y: number;
    anchor: "start" | "middle" | "end";
    text: string;
}

/** In pixels. */
interface ChartLayout {
    width: number;
    height: number;
    shapes: ChartShape[];
    words: ChartWords[];
    places: { x: number; y: number }[];
    isUpright: boolean;
    top: number;
    bottom: number;
    left: number;
    right: number;
}

/** An answer's table, wherever it comes from. */
type AnswerRows = Pick<SQLAnswer, "columns" | "rows">;

/** What a search for records found. */
interface FoundRecords {
    head: Integer;
    records: LogRecord[];
}

type OnPart = (records: LogRecord[], progress: Progress) => void;
type FetchRecords = (query: RecordQuery & { limit: number }, onPart?: OnPart) => Promise<FoundRecords>;
type FetchHistogram = (query: RecordQuery) => Promise<Histogram>;
type FetchFacets = (query: RecordQuery) => Promise<FacetCounts>;

type ViolationGroup = Violation & { tag: string; count: number };

/** How a filter takes a value: `only` replaces values of the same name. */
type Narrowing = "only" | "also" | "not" | ">=" | "<=";

/** The address, read for the history. */
interface HistoryState {
    /** All but the selected record. */
    params: Params;
    /** What of them the API takes. */
    filter: RecordQuery;
    /** A record's number. */
    selected: string | null;
    isTimeline: boolean;
}

/** Makes the button that filters by a value. */
type Asking = (name: string, value: unknown, isColumn: boolean) => Child;

/** `stranger`: not defined. */
interface ListedEvent {
    tag: string;
    name: string;
    obsolete?: boolean;
    stranger?: boolean;
}

interface User {
    column: string;
    name: string;
}

interface SessionPerson {
    user: User | null;
    tester: string | null;
}

interface LatestOptions {
    /** How many are kept. */
    most?: number;
    /** Decides what no store can search for. */
    passes?(record: LogRecord): boolean;
    /** Keeps the greatest instead of the latest. */
    rank?: ((record: LogRecord) => number) | null;
}

/** What the history's list needs from its screen. */
interface ListOwner {
    pick(record: LogRecord, event: MouseEvent): void;
    isMarked(id: Integer): boolean;
    scrolled(): void;
    /** The pane around the list. */
    element(): HTMLElement;
    /** A request has succeeded, and none is under way. */
    idle(): void;
}

/** A row of the history: its place and state. */
interface RowState {
    /** The record below. */
    older: LogRecord | undefined;
    /** The record above. */
    newer: LogRecord | undefined;
    /** The one of the same name before it, if that is near. */
    previous: LogRecord | undefined;
    position: number;
    /** In pixels. */
    y: number;
    isSelected: boolean;
    isMarked: boolean;
    time: string;
}

/** A value, and its name in a filter. */
interface AskedValue {
    name: string;
    value: unknown;
}

/** What is exported. */
interface ExportSource {
    /** Unmasked if `reveals`; `progress` gets the count so far. */
    records(progress: (count: number) => void, signal: AbortSignal, reveals: boolean): Promise<LogRecord[]>;
    /** The file's. */
    name: string;
    /** Where there are only requests. */
    formats?: "request";
}

/** What a session's pane needs from its screen. */
interface SessionOwner {
    nameOf(session: SessionSummary): string | null;
    rename(session: SessionSummary, name: string): void;
    personOf(session: SessionSummary): SessionPerson;
    close(): void;
    /** What became of a removal; null where it went well. */
    removed(failure: unknown): void;
}

/** Knows which manual items a person has ticked. */
interface Ticks {
    has(checklist: Checklist, scenario: Scenario, item: ChecklistItem): boolean;
}

interface TickBook extends Ticks {
    set(checklist: Checklist, scenario: Scenario, item: ChecklistItem, isTicked: boolean): void;
}

/** Of a checklist's items. A type and not an interface, so that a text takes it as its values. */
type ItemShare = { done: number; failed: number; all: number };

interface ItemPosition {
    scenario: number;
    item: number;
}

// What an app that shows the page sets: see base/bridge.js.

declare var daybookHost: { isSimulator?: boolean } | undefined;
declare var webkit: { messageHandlers?: { daybook?: { postMessage(message: object): void } } } | undefined;
