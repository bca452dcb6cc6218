import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools

/// Parses filters for the page, which has no parser of its own.
struct FilterAPI: Sendable {
    let filters: FilterReading

    var routes: [HTTPRoute] { [HTTPRoute("GET", "/api/v1/filter", parameters: ["filter"]) { try parts($0.query) }] }

    /// The parts of a filter, or its problem and position.
    func parts(_ parameters: [(name: String, value: String)]) throws -> HTTPResponse {
        let text = parameters.first?.value ?? ""
        var (parsed, fault) = (ParsedFilter?.none, FilterError?.none)
        do throws(FilterError) {
            parsed = try FilterParser.parse(text, now: filters.now())
        } catch {
            fault = error
        }
        return Envelope.success {
            $0.object {
                $0.key("parts")
                $0.array(of: parsed?.parts ?? []) { Self.write($1, to: &$0) }
                $0.key("alternatives")
                $0.bool(parsed?.isAlternatives ?? false)
                $0.key("names")
                $0.array(of: FilterParser.names) { $0.string($1) }
                $0.key("taken")
                $0.array(of: FilterParser.taken) { $0.string($1) }
                $0.key("own")
                $0.bool(parsed?.expression?.asksForOwn ?? false)
                $0.key("sql")
                $0.string(parsed?.expression.flatMap(FilterStatement.condition))
                $0.key("error")
                guard let fault else { return $0.null() }
                $0.object {
                    $0.key("column")
                    $0.integer(Int64(fault.column))
                    $0.key("message")
                    $0.string(fault.message)
                }
            }
        }
    }

    private static func write(_ part: ParsedFilter.Part, to writer: inout JSONBuilder) {
        writer.object {
            $0.key("start")
            $0.integer(Int64(part.range.lowerBound))
            $0.key("end")
            $0.integer(Int64(part.range.upperBound))
            $0.key("text")
            $0.string(part.text)
            $0.key("name")
            $0.string(part.name)
            $0.key("negated")
            $0.bool(part.isNegated)
        }
    }
}
