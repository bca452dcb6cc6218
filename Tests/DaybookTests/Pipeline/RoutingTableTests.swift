import Testing

@testable import Daybook

struct RoutingTableTests {
    @Test("A tag reaches every output whose pattern and level match") func tagReachesAllMatches() throws {
        let table = try RoutingTable([
            .route(Route("feed.**", to: RecordingOutput(id: "a"), level: .warning)),
            .route(Route("**", to: RecordingOutput(id: "b"))),
        ])
        #expect(table.routing(tag: "feed.show", level: .error).mask == RouteMask(output: 0).union(RouteMask(output: 1)))
        #expect(table.routing(tag: "feed.show", level: .info).mask == RouteMask(output: 1))
        #expect(table.routing(tag: "other", level: .error).mask == RouteMask(output: 1))
        #expect(table.minimumSeverity == Level.trace.rawValue)
    }

    @Test("A record below the level does not count as unrouted") func lowLevelIsNotUnrouted() throws {
        let table = try RoutingTable([.route(Route("feed.*", to: RecordingOutput(id: "a"), level: .error))])
        #expect(table.routing(tag: "feed.show", level: .info).mask == .none)
        #expect(table.routing(tag: "other", level: .error).mask == .unrouted)
        #expect(table.minimumSeverity == Level.error.rawValue)
    }

    @Test("A route can take any set of levels") func routeTakesAnyLevels() throws {
        let table = try RoutingTable([
            .route(Route("feed.*", to: RecordingOutput(id: "a"), levels: [.fatal, .debug])),
            .route(Route("feed.*", to: RecordingOutput(id: "none"), levels: [])),
        ])
        for level in Level.allCases {
            let isTaken = level == .fatal || level == .debug
            #expect(table.routing(tag: "feed.show", level: level).mask == (isTaken ? RouteMask(output: 0) : .none))
        }
        #expect(table.minimumSeverity == Level.debug.rawValue)
        #expect(table.routing(tag: "other", level: .fatal).mask == .unrouted)
    }

    @Test("A level set at run time replaces the route's levels") func setLevelReplacesRoutes() throws {
        let table = try RoutingTable([.route(Route("**", to: RecordingOutput(id: "a"), levels: [.debug]))])
        let set = RoutingTable(table, switches: [OutputSwitch(isOn: true, level: .error)])
        #expect(set.routing(tag: "a", level: .debug).mask == .none)
        #expect(set.routing(tag: "a", level: .fatal).mask == RouteMask(output: 0))
        let off = RoutingTable(set, switches: [OutputSwitch(isOn: false, level: nil)])
        #expect(off.minimumSeverity == .max)
        let back = RoutingTable(off, switches: [OutputSwitch()])
        #expect(back.routing(tag: "a", level: .debug).mask == RouteMask(output: 0))
        #expect(back.routing(tag: "a", level: .fatal).mask == .none)
    }

    @Test("Two outputs with one ID are an error") func rejectsDuplicateOutputs() {
        let error = #expect(throws: PipelineError.self) {
            try RoutingTable([
                .route(Route("a", to: RecordingOutput(id: "same"))),
                .route(Route("b", to: RecordingOutput(id: "same"))),
            ])
        }
        #expect(error?.code == .duplicateOutput)
    }

    @Test("One output can serve several routes") func outputServesRoutes() throws {
        let shared = RecordingOutput()
        let table = try RoutingTable([.route(Route("a", to: shared)), .route(Route("b", to: shared))])
        #expect(table.outputs.count == 1)
        #expect(table.routing(tag: "b", level: .info).mask == RouteMask(output: 0))
    }

    @Test("A table without routes is an error") func rejectsNoRoutes() {
        #expect(throws: PipelineError.noRoute) { try RoutingTable([]) }
    }

    @Test("An event descriptor's routing follows the table it is asked for") func descriptorCachesPerTable() throws {
        let descriptor = EventDescriptor("feed.show")
        let first = try RoutingTable([.route(Route("feed.*", to: RecordingOutput(id: "a")))])
        let second = try RoutingTable([
            .route(Route("x", to: RecordingOutput(id: "a"))), .route(Route("feed.*", to: RecordingOutput(id: "b"))),
        ])
        #expect(descriptor.routing(in: first).mask == RouteMask(output: 0))
        #expect(descriptor.routing(in: second).mask == RouteMask(output: 1))
        #expect(descriptor.routing(in: first).mask == RouteMask(output: 0))
    }
}
