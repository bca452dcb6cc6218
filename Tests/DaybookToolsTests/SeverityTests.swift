import DaybookBase
import DaybookTools
import Testing

@Suite struct SeverityTests {
    /// Each logger's level names, from the least serious.
    @Test(
        "Each logger's level names keep their order in any case",
        arguments: [
            ("OpenTelemetry", "TRACE TRACE2 DEBUG DEBUG3 INFO INFO4 WARN WARN2 ERROR ERROR3 FATAL FATAL4"),
            ("constants", "SEVERITY_NUMBER_TRACE SEVERITY_NUMBER_INFO2 SEVERITY_NUMBER_ERROR SEVERITY_NUMBER_FATAL4"),
            ("syslog", "debug info notice warning err crit alert emerg"),
            ("syslog's constants", "LOG_DEBUG LOG_INFO LOG_NOTICE LOG_WARNING LOG_ERR LOG_CRIT LOG_ALERT LOG_EMERG"),
            ("swift-log", "trace debug info notice warning error critical"),
            ("os_log", "debug info default error fault"), ("OSLogType", "OS_LOG_TYPE_DEBUG OS_LOG_TYPE_FAULT"),
            ("java.util.logging", "ALL FINEST FINER FINE CONFIG INFO WARNING SEVERE"),
            ("Python", "NOTSET DEBUG INFO WARNING ERROR CRITICAL"),
            (".NET", "LogLevel.Trace LogLevel.Debug LogLevel.Information LogLevel.Warning LogLevel.Critical"),
            ("Serilog", "Verbose Debug Information Warning Error Fatal"),
            ("its short names", "VRB DBG INF WRN ERR FTL"),
            ("log4j", "OFF ALL TRACE DEBUG INFO WARN ERROR FATAL"), ("Android", "VERBOSE DEBUG INFO WARN ERROR ASSERT"),
            ("its letters", "V D I W E F"), ("zap", "debug info warn error dpanic panic fatal"),
            (".NET's console", "trce dbug info warn fail crit"), ("winston", "silly debug http info warn error"),
            ("Dart", "FINEST FINER FINE CONFIG INFO WARNING SEVERE SHOUT"),
            ("Timber", "verbose debug info warn error wtf"),
            ("slog", "DEBUG-4 DEBUG DEBUG+2 INFO INFO+2 WARN WARN+1 ERROR ERROR+4"),
            ("PostgreSQL", "DEBUG5 DEBUG1 LOG NOTICE WARNING ERROR FATAL PANIC"), ("its context", "STATEMENT"),
            ("logrus on a terminal", "TRAC DEBU INFO WARN ERRO FATA"),
            ("enums", "SeverityNumber.TRACE SeverityNumber.WARN Severity.ERROR Level.SEVERE LogLevel.Critical"),
            ("Go", "zapcore.DebugLevel slog.LevelInfo LevelWarn ErrorLevel"),
            ("Swift", ".trace .debug .info .error .fault"),
            ("Python's module", "logging.DEBUG logging.INFO logging.CRITICAL"),
            ("coloured", "\u{1B}[90mTRACE\u{1B}[39m \u{1B}[32mINFO\u{1B}[39m \u{1B}[1;31m[ERROR]\u{1B}[0m"),
            ("full-width", "ＤＥＢＵＧ ｉｎｆｏ Ｗａｒｎｉｎｇ ｅｒｒｏｒ"),
            ("numbers", "0 1 5 9 10 17 24"), ("in brackets", "[debug] <Info> [WARN]: (error)"),
        ])
    func loggersKeepOrder(_ logger: String, _ names: String) throws {
        let numbers = try names.split(separator: " ").map { try #require(Severity.number(of: $0), "\(logger): \($0)") }
        #expect(numbers == numbers.sorted(), "\(logger)")
        for name in names.split(separator: " ") {
            let number = Severity.number(of: name)
            #expect(Severity.number(of: name.lowercased()) == number && Severity.number(of: " \(name)\n") == number)
        }
    }

    @Test(
        "Severity names have the numbers of the data model",
        arguments: [
            ("finest", 1), ("ASSERT", 21), ("Verbose", 1), ("Notice", 10), ("SEVERE", 17), ("INFO4", 12),
            ("fatal2", 22),
            ("off", 0), ("INFO+2", 11), ("DEBUG-4", 1), ("ERROR+4", 21), ("ERROR+40", 24), ("debug-9", 1), ("fail", 17),
            ("http", 7), ("SHOUT", 21), ("wtf", 21), ("DEBUG5", 5), ("LevelInfo", 9), (".error", 17), ("critical", 21),
            ("<0>", 21), ("<3>", 17), ("<4>", 13), ("<6>", 9), ("<7>", 5), ("<11>", 17), ("<191>", 5),
            ("Emergency", 21), ("err", 17), ("fault", 21), ("24", 24), ("w", 13),
        ])
    func matchesDataModel(_ name: String, _ number: Int) {
        #expect(Severity.number(of: name) == number)
    }

    @Test(
        "Other texts have no severity",
        arguments: [
            "", "loud", "<192>", "<-1>", "no_error", "error5", "error1", "25", "-1", "err or", "SEVERITY_NUMBER_",
            "no.error", ".5",
            "a+2", "info+", "level",
            "levels", "\u{1B}[32m",
            String(repeating: " ", count: 50) + "error",
        ])
    func rejectsOtherSeverities(_ text: String) { #expect(Severity.number(of: text) == nil) }

    @Test("JSON values are read as severities like their text") func readsJSONSeverities() {
        #expect(Severity.number(of: .int(17)) == 17 && Severity.number(of: .double(17)) == 17)
        #expect(Severity.number(of: .string("17")) == 17)
        for value in [.int(25), .int(-1), .double(1.5), .double(.nan), .bool(true), .null, .array([])] as [Value] {
            #expect(Severity.number(of: value) == nil)
        }
    }

    @Test("A level spans four severities and other names one") func levelSpansFour() {
        #expect(Severity.numbers(of: "err") == 17...20 && Severity.numbers(of: "crit") == 21...24)
        #expect(Severity.numbers(of: "notice") == 10...10 && Severity.numbers(of: "17") == 17...17)
        #expect(Severity.numbers(of: "loud") == nil)
    }
}
