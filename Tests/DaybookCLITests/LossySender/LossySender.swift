import DaybookOTLP
import DaybookTrials

/// The process of `DeliveryKillTrials`: logs and delivers until it is killed. Takes the arguments of `DeliveryWriter`.
@main
struct LossySender {
    static func main() async throws {
        try await DeliveryWriter.run(Array(CommandLine.arguments.dropFirst())) {
            OTLPOutput(endpoint: $0, compression: .none)
        }
    }
}
