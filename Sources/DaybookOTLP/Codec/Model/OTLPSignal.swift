/// What a request carries; the last part of its path.
package enum OTLPSignal: String, Sendable {
    case logs
    case traces
}
