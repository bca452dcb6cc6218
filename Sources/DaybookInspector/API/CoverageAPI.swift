import DaybookHTTP

/// What a coverage report says of each event; empty without one.
struct CoverageAPI: Sendable {
    let file: CoverageFile?

    func coverage() throws(Problem) -> HTTPResponse {
        var found: (report: CoverageFile.Report, written: Int64)?
        do {
            found = try file?.read()
        } catch {
            throw Problem(.unavailable, error.description)
        }
        return Envelope.success {
            $0.object {
                $0.key("written")
                $0.decimal(found?.written)
                $0.key("events")
                $0.array(of: found?.report.events ?? []) { $0.event($1) }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func event(_ event: CoverageFile.Report.Event) {
        object {
            $0.key("event")
            $0.string(event.event)
            $0.key("calls")
            $0.optional(event.calls)
            $0.key("called")
            $0.array(of: event.called ?? []) { writer, place in
                writer.object {
                    $0.key("file")
                    $0.string(place.file)
                    $0.key("line")
                    $0.integer(place.line)
                }
            }
            $0.key("fired")
            $0.optional(event.fired)
        }
    }

    private mutating func optional(_ number: Int64?) {
        if let number { integer(number) } else { null() }
    }
}
