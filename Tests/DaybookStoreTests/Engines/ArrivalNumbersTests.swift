import Testing

@testable import DaybookCollector
@testable import DaybookDatabases

@Suite struct ArrivalNumbersTests {
    @Test("A lone collector asks the store for its newest number only once") func loneCollectorAsksOnce() {
        var numbers = ArrivalNumbers(name: 7)
        #expect(numbers.mustAsk)
        numbers.learn(newest: 0)
        #expect(!numbers.mustAsk)
        #expect(numbers.take(10) == 1...10)
        numbers.look(newest: 0)
        #expect(!numbers.mustAsk)
        #expect(numbers.take(1) == 11...11)
    }

    @Test("Asks the store while other collectors are assigning numbers") func asksWhileOthersNumber() {
        var numbers = ArrivalNumbers(name: 7)
        numbers.learn(newest: 100)
        #expect(numbers.mustAsk)
        #expect(numbers.take(10) == 101...110)
        numbers.learn(newest: 130)
        #expect(numbers.mustAsk)
        #expect(numbers.take(10) == 131...140)
        numbers.learn(newest: 0)
        #expect(!numbers.mustAsk)
        #expect(numbers.take(10) == 141...150)
    }

    @Test("Skips past the numbers of others and keeps its own step") func skipsAheadOfOthers() {
        var numbers = [7, 9].map { ArrivalNumbers(name: $0) }
        for index in numbers.indices {
            numbers[index].learn(newest: 0)
            #expect(numbers[index].take(10) == 1...10)
            numbers[index].look(newest: 10)
            #expect(numbers[index].mustAsk)
        }
        #expect(numbers[0].take(10) == 81...90)
        #expect(numbers[1].take(10) == 101...110)
        numbers[0].look(newest: 110)
        #expect(numbers[0].last == 110)
        #expect(numbers[0].take(10) == 251...260)
        numbers[0].look(newest: 0)
        #expect(numbers[0].take(10) == 261...270)
    }
}
