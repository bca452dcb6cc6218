import DaybookStore
import Testing

@Suite struct FilterParserTests {
    private func parse(_ text: String) throws -> ParsedFilter {
        try FilterParser.parse(text, now: 1_800_000_000_000_000_000)
    }

    @Test(
        "Parses a filter and writes it back in canonical form",
        arguments: [
            ("egg", #""egg""#), ("  ", ""), ("a b OR c", #"("a" "b") OR "c""#),
            ("a AND (b OR c)", #""a" ("b" OR "c")"#),
            ("-a NOT b", #"-"a" -"b""#), ("-(a b)", #"-("a" "b")"#), ("--a", #""a""#), ("or and", #""or" "and""#),
            ("order=popular", #""order"=popular"#), ("order:popular", #""order"=popular"#),
            ("order!=popular", #"-"order"=popular"#), ("order=popular,newest", #""order"=popular OR "order"=newest"#),
            (#"order="30""#, #""order"="30""#), ("order=pop*", #""order"=pop*"#), (#"order=a\*b"#, #""order"=a\*b"#),
            ("price>=100", #""price">=100"#), ("price:100..200", #""price":100..200"#),
            ("price:..2.5", #""price"<=2.5"#),
            ("has:order", #"has:"order""#), (#""version"=2"#, #""version"=2"#), ("version=2.1", #"version="2.1""#),
            ("tag=feed.**", "tag=feed.**"), ("name:search_*", "name=search_*"), ("level>=warn", "level>=warning"),
            ("level=info", "level:info..info"), ("level<warn", "level<=info"),
            ("duration>=2s", "duration>=2000000000ns"),
            ("level>=err", "level>=error"), ("level:crit", "level>=fatal"), ("level=NOTICE", "level=10"),
            ("level=17", "level=17"), ("level>=18", "level>=18"), ("level>17", "level>=18"),
            ("level:10..12", "level:10..info"),
            ("level<=notice", "level<=10"), ("level<trace", "level<=0"), ("level<1", "level<=0"),
            ("level>=0", "level>=0"),
            (#"order=\>x"#, #""order"=\>x"#), (#"order=">x""#, #""order"=">x""#), ("order=a=>b", #""order"=a=>b"#),
            ("has:session", "session=*"), ("has:message", "message=*"), ("has:level", "level>=trace"),
            ("has:duration", "duration>=0ns"), (#"has:"session""#, #"has:"session""#), (#""since"=1"#, #""since"=1"#),
            ("level>=W", "level>=warning"), ("level:0", "level=0"),
            ("after:2026-11-20", "after:2026-11-20T00:00:00.000000000Z"),
            ("before:2026-11-20T10:30+09:00", "before:2026-11-20T01:30:00.000000000Z"),
            ("last:2h", "after:2027-01-15T06:00:00.000000001Z before:2027-01-15T08:00:00.000000001Z"),
            ("time:implausible", "before:2010-01-01T00:00:00.000000000Z OR after:2027-01-16T08:00:00.000000000Z"),
            ("10:30", #""10:30""#),
            ("https://example.com/?a=b", #""https://example.com/?a=b""#), ("卵　検索", #""卵" "検索""#),
            ("order=\u{301}x", "\"order\"=\u{301}x"), ("\"\u{301}\"", "\"\u{301}\""),
            ("line=42", "line:42..42"), ("line:40..", "line>=40"), ("has:line", "line>=0"),
            (#""line"=x"#, #""line"=x"#),
            ("price>=2.0", #""price">=2"#), ("price:3e1..", #""price">=30"#), (#"order=nul\l"#, #""order"=nul\l"#),
            ("salt and pepper", #""salt" "and" "pepper""#), ("not found", #""not" "found""#), ("don't", #""don't""#),
        ])
    func filtersRoundTrip(text: String, expected: String) throws {
        let expression = try parse(text).expression
        #expect(expression?.description ?? "" == expected)
        #expect(try parse(expected).expression == expression)
    }

    @Test(
        "Filter errors give the column and the reason",
        arguments: [
            ("(a", 1, "not closed"), ("(", 1, "not closed"), ("a (", 3, "not closed"), ("-( ", 2, "not closed"),
            ("(a OR)", 6, "both sides"), ("(a OR", 6, "both sides"), ("( )", 3, "parentheses"),
            ("a)", 2, "closes nothing"), ("a OR", 5, "both sides"), ("OR a", 1, "both sides"),
            ("a ()", 4, "parentheses"), ("NOT", 4, "after it"), ("a AND", 6, "after it"), (#"x "egg"#, 3, "not closed"),
            ("order=", 7, #"order="""#), ("order= popular", 7, "needs a value"),
            ("a,b order=a, b", 13, "needs a value"),
            ("AND boom", 1, "needs something"), ("a AND AND b", 7, "needs something"),
            ("NOT OR a", 5, "needs something"),
            ("ＯＲ a", 1, "narrow letters"), ("a && b", 3, "written AND"), ("a || b", 3, "written OR"),
            ("a|b || c", 5, "written OR"), ("a&&b", 1, "AND and OR"), ("x=a&&y=b", 4, "AND and OR"),
            ("x=a||y=b", 4, "AND and OR"), ("!boom", 1, "written -"), ("a +boom", 3, "left out"), ("- a", 1, "-egg"),
            ("a ,b", 3, "comma"), ("a , b", 3, "comma"), ("level=error and x", 13, "written AND"),
            ("not tag=x", 1, "written NOT"), ("(a) Or b", 5, "written OR"), ("level is error", 7, "a sign"),
            ("x LIKE 'a%'", 3, "a sign"), ("x in (a, b)", 3, "a sign"), ("price BETWEEN 1", 7, "a sign"),
            ("after:2026-11-20 10:30", 18, "after:2026-11-20T10:30"), ("order=null", 7, "-has:order"),
            ("price:[1 TO 5]", 7, "price:1..2"), ("tags=[a,b]", 6, "a,b"), ("price:1…5", 8, "`…` is written .."),
            ("order=f(x)", 8, "a space"), ("f(x)", 2, "a space"), (#"a"b""#, 2, "a space"), (#""a"b"#, 4, "a space"),
            (#"order=a"b""#, 8, "a space"), ("order：a", 6, "written :"), ("price＞5", 6, "written >"),
            ("price≥5", 6, "written >="), ("\u{FEFF}order=a", 1, "U+FEFF"), ("order=\u{202E}a", 7, "U+202E"),
            ("std::vector", 5, "no `::`"), ("message=~boom", 9, "message=*boom*"),
            ("message!~boom", 10, "message!=*boom*"),
            ("message~boom", 9, "message=*boom*"), ("line=x", 6, "a column"), ("line>1.5", 6, "a column"),
            ("price>=cheap", 8, "number"),
            ("price:1..b", 7, "range"), ("price:..", 7, "end"), ("price>=1,2", 10, "one value"),
            ("kind=evnt", 6, "request"),
            ("level>=loud", 8, "warning"), ("level>fatal", 7, "beyond"), ("level<0", 7, "beyond"),
            ("level>24", 7, "beyond"), ("level>=25", 8, "0 to 24"), ("version>2", 1, "is a text"),
            ("has:a*", 1, "has:VALUE"), ("after:yesterday", 7, "2026-11-20"), ("last:soon", 6, "last:2h"),
            ("duration>=3", 11, "300ms"), (#""""#, 1, "empty text"), (#"a="b"c"#, 6, "space"),
            ("x order=1\\", 10, "backslash"),
        ])
    func locatesFilterErrors(text: String, column: Int, words: String) throws {
        let error = #expect(throws: FilterError.self) { try parse(text) }
        #expect(
            error?.column == column && error?.message.contains(words) == true, "\(text): \(String(describing: error))")
    }

    /// Signs that other query languages have, before every kind of value.
    @Test(
        "Rejects operators of other query languages and suggests the right one",
        arguments: [
            ("=>", ">="), ("=<", "<="), (":>", ">"), (":<", "<"), (":>=", ">="), (":<=", "<="), ("<>", "!="),
            ("==", "="), ("=!", "!="), ("!==", "!="), (":=", "="), (">>", ">"), ("===", "="),
        ], [("level", "err"), ("price", "100"), ("tag", "a.b"), ("\"order by\"", "\"x y\"")])
    func suggestsOperators(_ sign: (written: String, meant: String), _ term: (String, String)) {
        let (name, value) = term
        let error = #expect(throws: FilterError.self) { try parse("egg \(name)\(sign.written)\(value)") }
        #expect(error?.message.contains("`\(sign.written)`: write \(name)\(sign.meant)") == true, "\(error as Any)")
        #expect((error?.column ?? 0) > 4 + name.count)
    }

    /// Spaces around a sign, on either side and on both, between every kind of name and value.
    @Test(
        "Rejects spaces around an operator", arguments: ["=", "!=", ">=", "<=", ":", ">", "<", "==", "=~"],
        [("level", "error"), ("price", "100"), ("tag", "a.b"), ("\"order by\"", "\"x y\"")])
    func refusesSpacedOperators(_ sign: String, _ term: (name: String, value: String)) {
        for (before, after) in [(" ", ""), ("", " "), (" ", " "), ("  ", "\u{3000}")] {
            for start in ["", "egg ", "(egg OR ", "-x "] {
                let text = start + term.name + before + sign + after + term.value + (start.hasPrefix("(") ? ")" : "")
                let error = #expect(throws: FilterError.self, "\(text)") { try parse(text) }
                let place = start.count + term.name.count + before.count
                #expect((place + 1...place + sign.count + 1).contains(error?.column ?? 0), "\(text): \(error as Any)")
                #expect(error?.message.contains("without") == true || error?.message.contains("there is no") == true)
            }
        }
    }

    /// Marks that keyboards and programs make of a quotation mark, around every place for a text.
    @Test(
        "Accepts typographic quotation marks of every kind",
        arguments: [
            ("“", "”"), ("”", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("»", "«"), ("＂", "＂"), ("'", "'"), ("‘", "’"),
            ("‚", "‘"), ("’", "’"), ("＇", "＇"), ("`", "`"),
        ], ["egg soup", "30", "OR", "a,b", ">x", "(", "卵"])
    func acceptsAnyQuotes(_ marks: (open: String, close: String), _ text: String) throws {
        for (before, after) in [
            ("", ""), ("order=", ""), ("order=x,", ""), ("-name!=", " b"), ("", "=x"), ("(", " OR b)"),
        ] {
            let foreign = try parse(before + marks.open + text + marks.close + after).expression
            #expect(foreign == (try parse(before + "\"" + text + "\"" + after).expression))
            #expect(throws: FilterError.self) { try parse(before + marks.open + text) }
        }
    }

    @Test("Column names with a meaning in other tools must be quoted") func quotesForeignColumns() throws {
        let foreign = FilterParser.taken.map { $0.hasSuffix(".") ? $0 + "order" : $0 }
        for name in foreign + foreign.map({ $0.uppercased() }) + ["attributes.level", "context.has"] {
            for text in ["\(name)=1", "has:\(name)", "-\(name)>1"] {
                let error = #expect(throws: FilterError.self) { try parse("egg \(text)") }
                #expect(error?.message.contains("a column of this name is written \"\(name)\"") == true, "\(text)")
            }
            #expect(try parse("\"\(name)\"=1").expression == .term(.column(name, .value("1"))))
        }
        for (name, meant) in [("attributes.level", #""level""#), ("resource.order", "order"), ("code.lineno", "line")] {
            let error = #expect(throws: FilterError.self) { try parse("\(name)=1") }
            #expect(error?.message.contains("`\(name)` is written \(meant) here") == true)
        }
    }

    @Test("Rejects near misses of built-in names and suggests the right one") func suggestsBuiltInNames() throws {
        let capital = FilterParser.names.flatMap { [($0.uppercased(), $0), ($0.capitalized, $0)] }
        let foreign = [("since", "after"), ("until", "before"), ("Timestamp", "after"), ("severity", "level")]
        for (name, meant) in capital + foreign {
            for term in ["\(name)=1", "\(name):2h", "\(name)>0", "-\(name)!=x"] {
                let error = #expect(throws: FilterError.self) { try parse("egg \(term)") }
                #expect(error?.message.contains("`\(name)` is written \(meant)") == true, "\(term)")
            }
            #expect(try parse("\"\(name)\"=1").expression == .term(.column(name, .value("1"))))
        }
    }

    @Test(
        "Rejects `has:` for fields that every record has",
        arguments: ["tag", "name", "kind", "uid", "time", "last", "after", "before", "has", "Session"])
    func refusesTrivialHas(name: String) {
        let error = #expect(throws: FilterError.self) { try parse("has:\(name)") }
        #expect(error?.column == 5 && error?.message.contains("\"\(name)\"") == true)
    }

    @Test("Limits the length, depth and number of terms of a filter") func boundsFilterSize() throws {
        #expect(throws: FilterError.self) { try parse(String(repeating: "x", count: 4_097)) }
        #expect(throws: FilterError.self) { try parse(String(repeating: "(", count: 2_000)) }
        #expect(throws: FilterError.self) { try parse(String(repeating: "-", count: 2_000) + "x") }
        #expect(throws: FilterError.self) { try parse(String(repeating: "a ", count: 201)) }
        #expect(try parse(String(repeating: "a ", count: 200)).parts.count == 200)
        #expect(try parse(String(repeating: "(", count: 31) + "x" + String(repeating: ")", count: 31)).parts.count == 1)
    }

    @Test("Splits a filter into its parts as written") func splitsIntoParts() throws {
        let parsed = try parse(#"卵🍳 -order=a,"b c" price:1..2 (x OR y) price>3 order!=z"#)
        #expect(
            parsed.parts.map(\.text) == ["卵🍳", #"-order=a,"b c""#, "price:1..2", "(x OR y)", "price>3", "order!=z"])
        #expect(parsed.parts.map(\.name) == [nil, "order", nil, nil, nil, "order"])
        #expect(parsed.parts.map(\.isNegated) == [false, true, false, false, false, true])
        #expect(parsed.parts[1].range == 4..<18 && !parsed.isAlternatives)
        let alternatives = try parse("a b OR order=c")
        #expect(alternatives.isAlternatives && alternatives.parts.map(\.text) == ["a b OR order=c"])
    }

    @Test("Lists the columns whose values the filter compares") func listsComparedColumns() throws {
        let filter = try parse("mail=a@b -(phone=1* OR age>3) has:\"name\" plan=free")
        #expect(filter.expression?.comparedColumns == ["mail", "phone", "age", "plan"])
    }

    @Test("Shows the collector's own records only when the filter asks for them") func showsOwnOnRequest() throws {
        for (text, asks) in [
            ("tag=daybook.**", true), ("tag=daybook.alert", true), ("a OR tag=daybook.*", true),
            ("-tag=daybook.x", false),
            ("daybook", false), ("tag=*", false),
        ] { #expect(try parse(text).expression?.asksForOwn == asks, "\(text)") }
    }
}
