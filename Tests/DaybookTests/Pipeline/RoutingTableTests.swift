import Testing

@testable import Daybook

struct RoutingTableTests {
    private struct Silent: Output {
        let id: String
        func write(_ record: Record) {}
    }

    private final class Shared: Output {
        let id = "shared"
        func write(_ record: Record) {}
    }

    @Test func aTagLeadsToEveryOutputWhosePatternAndLevelFit() throws {
        let table = try RoutingTable([
            .route(Route("feed.**", to: Silent(id: "a"), level: .warning)),
            .route(Route("**", to: Silent(id: "b"))),
        ])
        #expect(table.routes(tag: "feed.show", level: .error) == [RouteMask(output: 0), RouteMask(output: 1)])
        #expect(table.routes(tag: "feed.show", level: .info) == RouteMask(output: 1))
        #expect(table.routes(tag: "other", level: .error) == RouteMask(output: 1))
        #expect(table.minimumLevel == .trace)
    }

    @Test func belowTheLevelIsNotUnrouted() throws {
        let table = try RoutingTable([.route(Route("feed.*", to: Silent(id: "a"), level: .error))])
        #expect(table.routes(tag: "feed.show", level: .info) == [])
        #expect(table.routes(tag: "other", level: .error) == .unrouted)
        #expect(table.minimumLevel == .error)
    }

    @Test func twoOutputsWithOneIDAreAnError() {
        let error = #expect(throws: PipelineError.self) {
            try RoutingTable([
                .route(Route("a", to: Silent(id: "same"))), .route(Route("b", to: Silent(id: "same"))),
            ])
        }
        #expect(error?.code == .duplicateOutput)
    }

    @Test func oneOutputMayServeSeveralRoutes() throws {
        let shared = Shared()
        let table = try RoutingTable([.route(Route("a", to: shared)), .route(Route("b", to: shared))])
        #expect(table.outputs.count == 1)
        #expect(table.routes(tag: "b", level: .info) == RouteMask(output: 0))
    }

    @Test func aTableWithoutRoutesIsAnError() {
        #expect(throws: PipelineError.noRoute) { try RoutingTable([]) }
    }

    @Test func aDescriptorAsksEachTableOnce() throws {
        let descriptor = EventDescriptor("feed.show")
        let first = try RoutingTable([.route(Route("feed.*", to: Silent(id: "a")))])
        let second = try RoutingTable([
            .route(Route("x", to: Silent(id: "a"))), .route(Route("feed.*", to: Silent(id: "b"))),
        ])
        #expect(descriptor.routes(in: first) == RouteMask(output: 0))
        #expect(descriptor.routes(in: second) == RouteMask(output: 1))
        #expect(descriptor.routes(in: first) == RouteMask(output: 0))
    }
}
