import Testing

@testable import DaybookCLI

@Suite struct SettingsTests {
    private let options: [Option] = [
        .value("port", "PORT", "a port"), .value("keep", "RULE", "a rule", repeatable: true),
        .flag("insecure", "a flag"),
    ]

    private func settings(
        _ words: [String] = [], environment: [String: String] = [:], file: String? = nil
    ) throws -> Settings {
        let command = Command(name: "x", summary: "", options: options) { _, _ in .done }
        return try Settings(
            options: options, arguments: try ArgumentParser(command: command).parse(words), environment: environment,
            file: try file.map { try SettingsFile($0, path: "d.conf", options: options) }, defaults: ["port": ["4318"]])
    }

    private func texts(_ settings: Settings) -> [[String]] { settings.all.map { $0.values.map(\.text) } }

    @Test("The command line overrides the environment, which overrides the file") func settingsHavePrecedence() throws {
        let file = "# a comment\nport = 3 # another\nkeep = 90d\nkeep=7d debug.**\ninsecure = true\n"
        let environment = ["DAYBOOK_PORT": "2", "DAYBOOK_KEEP": "1d, 2d a.**"]
        #expect(texts(try settings()) == [["4318"], [], []])
        #expect(texts(try settings(file: file)) == [["3"], ["90d", "7d debug.**"], ["true"]])
        #expect(
            texts(try settings(environment: environment, file: file)) == [["2"], ["1d", "2d a.**"], ["true"]])
        #expect(
            texts(try settings(["--port", "1", "--keep", "9d"], environment: environment, file: file))
                == [["1"], ["9d"], ["true"]])
        let origins = { (settings: Settings) in settings.all.map { $0.values.map(\.origin) } }
        #expect(
            origins(try settings(["--port", "1"], environment: ["DAYBOOK_KEEP": "1d"], file: file))
                == [[.option], [.environment("DAYBOOK_KEEP")], [.file("d.conf", line: 5)]])
        #expect(
            origins(try settings(file: file))
                == [
                    [.file("d.conf", line: 2)], [.file("d.conf", line: 3), .file("d.conf", line: 4)],
                    [.file("d.conf", line: 5)],
                ])
        #expect(try settings(environment: ["DAYBOOK_INSECURE": "0"], file: file).arguments.has("insecure") == false)
    }

    @Test("The printed configuration is a file with the same settings") func printedConfigRoundTrips() throws {
        let first = try settings(["--port", "1", "--keep", "90d", "--keep", "7d debug.**", "--insecure"])
        let again = try settings(file: first.text)
        #expect(texts(again) == texts(first))
        #expect(first.text.contains("port = 1"))
        #expect(first.text.contains("# the command line"))
    }

    @Test("The printed configuration hides store passwords") func hidesStorePasswords() throws {
        let text = try settings(["--port", "clickhouse://me:s/cret@a:1,b:2/logs?cluster=x", "--keep", "90d"]).text
        #expect(text.contains("clickhouse://me:…@a:1,b:2/logs?cluster=x"))
        #expect(!text.contains("cret"))
        let named = try settings([
            "--port", "postgres://u@h/db?sslmode=require&password=top%20secret&sql_password=s3cret",
        ]).text
        #expect(named.contains("postgres://u@h/db?sslmode=require&password=…&sql_password=…"))
    }

    @Test("Skips a byte order mark in a configuration file") func skipsConfigBOM() throws {
        #expect(texts(try settings(file: "\u{FEFF}port = 3\n")) == [["3"], [], []])
    }

    @Test("An error about a setting says where its value came from") func errorNamesOrigin() throws {
        let settings = try settings(
            ["--port", "x"], environment: ["DAYBOOK_INSECURE": "1"], file: "keep = 90d\nkeep = 90x\n")
        let wrong = { (name: String, value: String) in
            settings.located(SettingError(name: name, value: value, reason: UsageError(message: "wrong"))).message
        }
        #expect(wrong("keep", "90x") == "d.conf:2: wrong")
        #expect(wrong("insecure", "true") == "DAYBOOK_INSECURE: wrong")
        #expect(wrong("port", "x") == "wrong")
    }

    @Test(
        "Errors in a configuration file give the line",
        arguments: [
            ("port", "d.conf:1: a line must be `name = value`"),
            ("\nprot = 1", "d.conf:2: there is no setting `prot`; did you mean `port`?"),
            ("port = 1\nport = 2", "d.conf:2: `port` is set twice; first on line 1"),
            ("port =", "d.conf:1: the value of `port` is empty"),
            ("insecure = yes", "d.conf:1: `insecure` must be true or false"),
        ]) func locatesConfigFaults(text: String, message: String)
    {
        #expect { try settings(file: text) } throws: { "\($0)" == message }
    }
}
