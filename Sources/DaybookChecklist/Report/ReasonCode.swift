extension Reason {
    /// A phrase's meaning, independent of language. The names are stable: pages, documents and sign-offs use them.
    package enum Code: String, Sendable, CaseIterable {
        // Separators.
        case next
        case record
        case open
        case close
        // Counts.
        case nothing = "none"
        case count
        case group
        case window
        case lacking
        case also
        case counted
        case unlisted
        case atRecord = "at_record"
        case combinations
        case surplus
        case sinceFirst = "since_first"
        case noneBetween = "none_between"
        // A record's values.
        case seen
        case test
        case absent
        case value
        case aBoolean = "a_boolean"
        case aNumber = "a_number"
        case aText = "a_text"
        case aStructure = "a_structure"
        case notBoolean = "not_boolean"
        case notNumber = "not_number"
        case notText = "not_text"
        case notStructure = "not_structure"
        case notApplicable = "not_applicable"
        // Order.
        case early
        case awaited
        case late
        case cameEarly = "came_early"
        case firstOf = "first_of"
        // What came instead.
        case leftOut = "left_out"
        case nearMiss = "near_miss"
        case undefined
        // What came before and after.
        case noneBefore = "none_before"
        case noneAfter = "none_after"
        case within
        case joining
        case lastHas = "last_has"
        case lastIs = "last_is"
        case nextIs = "next_is"
        case beforeAny = "before_any"
        case before
        case followed
        case after
        case andBefore = "and_before"
        case tooManyWait = "too_many_wait"
        case tooManyValues = "too_many_values"
        // Why a scenario fails as a whole.
        case wrongPersona = "wrong_persona"
        case neverRun = "never_run"
        case nothingJudged = "nothing_judged"
        case noScenario = "no_scenario"
        case noPersona = "no_persona"
        case undefinedEvents = "undefined_events"
        case more
        case notDefined = "not_defined"
        case perhaps
        // Why an item is not judged.
        case noRecords = "no_records"
        case comparesHidden = "compares_hidden"
        case onlyAlike = "only_alike"
        case noneHas = "none_has"
        case columnsAre = "columns_are"
        case neverHolds = "never_holds"
        case noTime = "no_time"
        case beginsWithEvent = "begins_with_event"
        case writeEvent = "write_event"
        case namesEvent = "names_event"
        case needsDefinitions = "needs_definitions"
        case noValues = "no_values"
        case listValues = "list_values"
        case needsPersona = "needs_persona"
        case choosePersona = "choose_persona"
        case sayValue = "say_value"
        case unanswered
        case giveValue = "give_value"
        case noEvent = "no_event"
        case noMatch = "no_match"
        case noColumn = "no_column"
        case undeclared
        case undeclaredCommon = "undeclared_common"
        case oneOf = "one_of"
        case mistyped
        case quoteTexts = "quote_texts"
        case didYouMean = "did_you_mean"
        case untested
        case writeTest = "write_test"

        /// The English, with arguments in braces.
        package var english: String {
            switch self {
            case .next: "; "
            case .record: "#{record}: "
            case .open: " ("
            case .close: ")"
            case .nothing: "got none"
            case .count: "got {count}"
            case .group: " ({values})"
            case .window: " in one window"
            case .lacking: "none for {column} = {value}"
            case .also: ", {value}"
            case .counted: " (got {count})"
            case .unlisted: "; not listed: {value}"
            case .atRecord: " (#{record})"
            case .combinations: "more than {limit} combinations of {columns}"
            case .surplus: "one too many"
            case .sinceFirst: ", {seconds} s after the first"
            case .noneBetween: ", no {event} between"
            case .seen: "seen"
            case .test: "`{test}` does not hold: "
            case .absent: "{column} is absent"
            case .value: "{column} is {value}"
            case .aBoolean: ", a boolean"
            case .aNumber: ", a number"
            case .aText: ", a text"
            case .aStructure: ", an array or an object"
            case .notBoolean: ", not a boolean"
            case .notNumber: ", not a number"
            case .notText: ", not a text"
            case .notStructure: ", not an array or an object"
            case .notApplicable: "not applicable: "
            case .early: "too early"
            case .awaited: ": {event} was still to come"
            case .late: "too late: the next step had already happened"
            case .cameEarly: "; #{record} came too early"
            case .firstOf: " ({count} came, this is the first)"
            case .leftOut: "; {count} of the event left out by `where`, first #{record}: "
            case .nearMiss: "; near miss #{record} {event}"
            case .undefined: " (undefined)"
            case .noneBefore: "no {event} before it"
            case .noneAfter: "no {event} after it"
            case .within: " within {limit}"
            case .joining: " with equal {columns}"
            case .lastHas: "; the last, #{record}, has {values}"
            case .lastIs: ", the last is #{record}, {seconds} s earlier"
            case .nextIs: ", the next {seconds} s later"
            case .beforeAny: "seen before any {event}"
            case .before: "seen before {event}"
            case .followed: ", which came {seconds} s later"
            case .after: "seen {seconds} s after {event} #{record}"
            case .andBefore: " and before {event}"
            case .tooManyWait: "more than {limit} records wait for {event}"
            case .tooManyValues: "more than {limit} values of {columns}"
            case .wrongPersona:
                "the records are not of persona \"{persona}\": {column} is {value} in #{record}, not {expected}"
            case .neverRun: "no recording has a run of this scenario"
            case .nothingJudged: "nothing judged"
            case .noRecords: "there is no record"
            case .comparesHidden: "it compares {columns}, whose values are hidden"
            case .onlyAlike: "no `{event}` came, but `{tag}`, which differs only in how it is written"
            case .noneHas: "no `{event}` has a column `{column}`"
            case .columnsAre: "a column is an attribute, one of the context, `_level`, `_session` or `_installation`"
            case .neverHolds: "`{test}` holds for no record: "
            case .noTime: "#{record} has no time, which `within` needs"
            case .beginsWithEvent: "it names the event `{event}`, but is written as a step for a person"
            case .writeEvent: "write `\"{event}\"` and clauses alone, or say it in other words"
            case .namesEvent: "names the event `{event}`, which it does not judge"
            case .noScenario: "no scenario is called `{scenario}`"
            case .noPersona: "no persona is called `{persona}`"
            case .undefinedEvents: "the recording has events that are not defined: {events}"
            case .more: " and {count} more"
            case .notDefined: "not defined"
            case .perhaps: "; did you mean `{name}`?"
            case .needsDefinitions: "the values of `{column}` are not known without the definitions"
            case .noValues: "no values are declared for `{column}` of {event}"
            case .listValues: "list them: each {column} in (…)"
            case .needsPersona: "`when` needs a persona"
            case .choosePersona: "choose one of: {personas}"
            case .sayValue: "say {column}=VALUE"
            case .unanswered: "`when` asks for `{column}`, for which persona `{persona}` has no value"
            case .giveValue: "give it a value: {column}=VALUE"
            case .noEvent: "no event `{event}` is defined"
            case .noMatch: "no defined event matches `{event}`"
            case .noColumn: "`{event}` has no column `{column}`"
            case .undeclared: "`{column}` of `{event}` is never {value}"
            case .undeclaredCommon: "`{column}` is never {value}"
            case .oneOf: "it is one of: {values}"
            case .mistyped: "`{test}` never holds: `{column}` is `{type}`"
            case .quoteTexts: "texts stand in quotes; numbers, true and false do not"
            case .didYouMean: "did you mean `{name}`?"
            case .untested: "`{note}` begins with a column of {event}, but is not a test"
            case .writeTest: "write a test such as `{column} exists`, or begin the note with another word"
            }
        }
    }
}
