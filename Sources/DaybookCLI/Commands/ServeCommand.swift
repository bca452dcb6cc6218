extension Command {
    static let serve = Command(
        name: "serve", summary: "Run the collector and the inspector",
        options: [
            .value("port", "PORT", "listen on this port of 127.0.0.1 and ::1; 0 takes a free one; default 4318"),
            .value("store", "STORE", "where records are kept; default sqlite:daybook.sqlite"),
            .value("definitions", "DIR", "the folder of the team's definitions, for the dictionary and the views"),
            .value("checklists", "DIR", "the folder of the team's checklists"),
            .value("token-file", "FILE", "keep the inspector's token in this file between starts"),
        ],
        details: "Receives OpenTelemetry at /v1/logs and /v1/traces and NDJSON at /v1/events. Ends on Ctrl-C."
    ) { arguments, console in
        let service = try await Service(ServeConfiguration(arguments))
        console.output("Inspector: \(try service.start())\n")
        await TerminationSignal.wait()
        await service.stop()
        return .done
    }
}
