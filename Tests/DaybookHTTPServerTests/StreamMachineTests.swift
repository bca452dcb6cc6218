import Testing

@testable import DaybookHTTPServer

@Suite struct StreamMachineTests {
    private func pull(_ machine: inout StreamMachine, _ count: Int) -> (StreamMachine.Pull, [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: count)
        let result = buffer.withUnsafeMutableBytes { machine.pull(into: $0) }
        if case .bytes(let copied) = result { return (result, Array(buffer.prefix(copied))) }
        return (result, [])
    }

    @Test("Chunks come out in order at any read size") func chunksKeepOrder() {
        var machine = StreamMachine()
        #expect(machine.push([1, 2, 3]) == false)
        #expect(machine.push([4]) == false)
        #expect(pull(&machine, 3).1 == [1, 2, 3])
        #expect(pull(&machine, 3).1 == [4])
        #expect(pull(&machine, 3).0 == .suspend)
    }

    @Test("A suspended connection is resumed exactly once") func resumesOnce() {
        var machine = StreamMachine()
        #expect(pull(&machine, 1).0 == .suspend)
        #expect(machine.push([1]) == true)
        #expect(machine.push([2]) == false)
        #expect(machine.end() == false)
        #expect(pull(&machine, 9).1 == [1, 2])
        #expect(pull(&machine, 9).0 == .end)
    }

    @Test("An ended stream never suspends") func endedNeverSuspends() {
        var machine = StreamMachine()
        #expect(pull(&machine, 1).0 == .suspend)
        #expect(machine.end() == true)
        #expect(machine.push([1]) == false)
        #expect(pull(&machine, 1).0 == .end)
        #expect(!machine.isSuspended)
    }

    @Test("A broken stream fails at once and drops pending chunks") func brokenFailsAtOnce() {
        var machine = StreamMachine()
        #expect(machine.push([1]) == false)
        #expect(machine.fail() == false)
        #expect(pull(&machine, 1).0 == .fail)
        #expect(machine.end() == false)
        #expect(pull(&machine, 1).0 == .fail)
    }

    @Test("The stream is full at its high-water mark until bytes are read") func fullAtHighWater() {
        var machine = StreamMachine()
        #expect(machine.push([UInt8](repeating: 0, count: StreamMachine.highWater)) == false)
        #expect(machine.isFull)
        _ = pull(&machine, 1)
        #expect(!machine.isFull)
    }
}
