import Testing

@testable import DaybookHTTPServer

@Suite struct StreamMachineTests {
    private func pull(_ machine: inout StreamMachine, _ count: Int) -> (StreamMachine.Pull, [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: count)
        let result = buffer.withUnsafeMutableBytes { machine.pull(into: $0) }
        if case .bytes(let copied) = result { return (result, Array(buffer.prefix(copied))) }
        return (result, [])
    }

    @Test func chunksComeOutInOrderAndInAnySizes() {
        var machine = StreamMachine()
        #expect(machine.push([1, 2, 3]) == false)
        #expect(machine.push([4]) == false)
        #expect(pull(&machine, 3).1 == [1, 2, 3])
        #expect(pull(&machine, 3).1 == [4])
        #expect(pull(&machine, 3).0 == .suspend)
    }

    @Test func aSuspendedConnectionIsResumedExactlyOnce() {
        var machine = StreamMachine()
        #expect(pull(&machine, 1).0 == .suspend)
        #expect(machine.push([1]) == true)
        #expect(machine.push([2]) == false)
        #expect(machine.end() == false)
        #expect(pull(&machine, 9).1 == [1, 2])
        #expect(pull(&machine, 9).0 == .end)
    }

    @Test func anEndedStreamNeverSuspends() {
        var machine = StreamMachine()
        #expect(pull(&machine, 1).0 == .suspend)
        #expect(machine.end() == true)
        #expect(machine.push([1]) == false)
        #expect(pull(&machine, 1).0 == .end)
        #expect(!machine.isSuspended)
    }

    @Test func aBrokenStreamFailsAtOnceAndForgetsWhatIsPending() {
        var machine = StreamMachine()
        #expect(machine.push([1]) == false)
        #expect(machine.fail() == false)
        #expect(pull(&machine, 1).0 == .fail)
        #expect(machine.end() == false)
        #expect(pull(&machine, 1).0 == .fail)
    }

    @Test func aSlowClientHoldsTheProducerBack() {
        var machine = StreamMachine()
        #expect(machine.push([UInt8](repeating: 0, count: StreamMachine.highWater)) == false)
        #expect(machine.isFull)
        _ = pull(&machine, 1)
        #expect(!machine.isFull)
    }
}
