import DaybookStore
import Testing

@testable import DaybookDatabases

@Suite struct StatementTextTests {
    @Test(
        "Finds function calls as PostgreSQL parses them",
        arguments: [
            ("SELECT pg_sleep(1), Now ()", ["pg_sleep", "now"]),
            ("SELECT pg_catalog . \"Lo_Put\" /* so */ -- and so\n (1)", ["lo_put"]),
            ("SELECT 'f(1)', \"g\", $$h(1)$$, $t$i(1)$$j(1)$t$, k(2)", ["k"]),
            ("SELECT 'it''s f(1)' || g('\\') || h('x')", ["g", "h"]),
            ("SELECT E'\\' f(1)' || g(1)", ["g"]), ("SELECT e'a'\n  '\\' f(' || g(1) || 'x'", ["g"]),
            ("/* /* f(1) */ g(1) */ SELECT h(1)", ["h"]), ("SELECT U&\"\\0066\"(1)", ["u&\"…\""]),
            ("SELECT U&'\\0066(1)' || f(1)", ["f"]), ("SELECT a$b$(1), $1, x.$y", ["a$b$"]),
            ("SELECT 'open f(1)", []), ("/* open f(1)", []), ("$x$ open f(1)", []),
            ("SELECT ` f(1) `, g(1)", ["f", "g"]), ("SELECT 卵(1)", ["卵"]),
        ])
    func findsPostgreSQLCalls(sql: String, names: [String]) {
        #expect(StatementText.calledNames(in: sql, .postgresql) == Set(names))
    }

    @Test(
        "Finds function calls as ClickHouse parses them",
        arguments: [
            ("SELECT * FROM `url` ('x')", ["url"]), ("SELECT 'it\\'s f(1)', g(1)", ["g"]),
            ("# f(1)\nSELECT g(1)", ["g"]),
            ("/* /* f(1) */ SELECT g(1)", ["g"]), ("SELECT $a$f(1)$a$, \"a\\\"f(1)\", count()", ["count"]),
        ])
    func findsClickHouseCalls(sql: String, names: [String]) {
        #expect(StatementText.calledNames(in: sql, .clickhouse) == Set(names))
    }
}
