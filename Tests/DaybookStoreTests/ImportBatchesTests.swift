import Testing

@testable import DaybookStore

@Suite struct ImportBatchesTests {
    private func row(_ stream: Int, _ sequence: Int, attributes: String = "{}") -> RecordRow {
        let digits = String(stream, radix: 16)
        let uid = String(repeating: "0", count: 48 - digits.count) + digits + "-\(sequence)"
        return RecordRow(
            uid: uid, time: 0, kind: .event, level: 9, tag: "a", attributes: attributes,
            context: #"{"daybook.owner":"proof:0"}"#)
    }

    @Test("Limits the rows that wait across many streams") func boundsWaitingRows() {
        var batches = ImportBatches()
        var given: [RecordBatch] = []
        var most = 0
        let count = ImportBatches.mostRows * 2 + 10
        var waiting = 0
        for number in 0..<count {
            let full = batches.add(row(number % 40_000, number / 40_000 + 1), file: nil, position: number + 1)
            waiting += 1 - full.reduce(0) { $0 + $1.rows.count }
            most = max(most, waiting)
            given += full
        }
        given += batches.rest
        #expect(most < ImportBatches.mostRows)
        #expect(given.reduce(0) { $0 + $1.rows.count } == count)
        #expect(Set(given.flatMap { $0.rows.map(\.uid) }).count == count)
        // A stream's rows keep their order across batches.
        let first = given.filter { $0.origin?.stream.hasSuffix(String(repeating: "0", count: 48)) == true }
        #expect(first.flatMap { $0.rows.map(\.sequence) } == [1, 2, 3])
    }

    @Test("Limits the bytes that wait when rows are long") func boundsWaitingBytes() {
        var batches = ImportBatches()
        let long = String(repeating: "x", count: 1 << 20)
        let sizes = (1...70).map { number in
            batches.add(row(number, 1, attributes: long), file: nil, position: number).count
        }
        #expect(sizes.reduce(0, +) == 64 && sizes.filter { $0 > 0 }.count == 1)
        #expect(batches.rest.count == 6)
    }

    @Test("A full batch is taken alone and no longer waits") func fullBatchLeavesAlone() {
        var batches = ImportBatches()
        let line = (1...ImportBatches.mostRows * 2).first { !batches.add(row(1, $0), file: nil, position: $0).isEmpty }
        #expect(line == ImportBatches.size)
        _ = batches.add(row(2, 1), file: nil, position: 1)
        for number in 1...ImportBatches.mostRows * 2 {
            let full = batches.add(row(1, number), file: nil, position: number)
            #expect(full.allSatisfy { $0.origin?.stream.hasSuffix("1") == true })
        }
        #expect(batches.rest.count == 1)
    }
}
