import DaybookApple
import DaybookTrials
import Testing

@Suite struct LifecycleTests {
    private func actions(_ happenings: [LifecycleMachine.Happening]) -> [LifecycleMachine.Action] {
        var machine = LifecycleMachine()
        return happenings.flatMap { machine.take($0) }
    }

    @Test("Entering the background flushes, suspends and ends the background time") func backgroundFlushes() {
        #expect(
            actions([.entersBackground, .timeGranted(true), .flushed, .suspended, .entersForeground])
                == [.askForTime, .flush, .suspend, .giveTimeBack, .resume])
    }

    @Test("Without background time the app suspends at once") func noTimeSuspendsAtOnce() {
        #expect(
            actions([.entersBackground, .timeGranted(false), .suspended, .entersForeground])
                == [.askForTime, .suspend, .resume])
    }

    @Test("When background time expires, the app suspends and returns it") func expiredTimeSuspends() {
        #expect(
            actions([.entersBackground, .timeGranted(true), .timeExpires, .flushed, .suspended])
                == [.askForTime, .flush, .suspend, .giveTimeBack])
    }

    @Test("Returning during the flush avoids the suspension") func returnCancelsSuspend() {
        #expect(
            actions([.entersBackground, .timeGranted(true), .entersForeground, .flushed])
                == [.askForTime, .flush, .giveTimeBack])
    }

    @Test("Returning during the suspension resumes after it") func returnResumesLater() {
        #expect(
            actions([.entersBackground, .timeGranted(true), .flushed, .entersForeground, .suspended])
                == [.askForTime, .flush, .suspend, .giveTimeBack, .resume])
    }

    @Test("Time that runs out before it is granted suspends at once") func expiresUngranted() {
        #expect(
            actions([.entersBackground, .timeExpires, .suspended, .entersForeground])
                == [.askForTime, .suspend, .giveTimeBack, .resume])
    }

    @Test("Returning before the answer gives the time back", arguments: [true, false]) func returnsUnanswered(
        isGranted: Bool
    ) {
        #expect(
            actions([.entersBackground, .entersForeground, .timeGranted(isGranted)]) == [.askForTime, .giveTimeBack])
    }

    /// An app in the foreground holds no background time and is not suspended, in whatever order the answers come. Asking
    /// again gives back what is held, and replaces the question.
    @Test("In any order of events, time and suspensions balance", arguments: 0..<200) func anyOrderBalances(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var machine = LifecycleMachine()
        var (suspends, resumes) = (0, 0)
        var (holdsTime, answer) = (false, nil as Bool?)
        var (flushing, suspending, isForeground) = (false, false, true)
        var queue: [LifecycleMachine.Happening] = []
        func settle() {
            while !queue.isEmpty {
                for action in machine.take(queue.removeFirst()) {
                    switch action {
                    case .askForTime:
                        let isGranted = Bool.random(using: &random)
                        (holdsTime, answer) = (isGranted, isGranted)
                    case .flush: flushing = true
                    case .suspend:
                        suspends += 1
                        suspending = true
                    case .giveTimeBack: holdsTime = false
                    case .resume: resumes += 1
                    }
                }
            }
        }
        for _ in 0..<100 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                queue.append(isForeground ? .entersBackground : .entersForeground)
                isForeground.toggle()
            case 1 where flushing:
                flushing = false
                queue.append(.flushed)
            case 2 where suspending:
                suspending = false
                queue.append(.suspended)
            case 3 where holdsTime: queue.append(.timeExpires)
            case 4:
                if let granted = answer { queue.append(.timeGranted(granted)) }
                answer = nil
            default: break
            }
            settle()
            #expect(resumes <= suspends && suspends <= resumes + 1)
        }
        if !isForeground { queue.append(.entersForeground) }
        settle()
        if let answer { queue.append(.timeGranted(answer)) }
        settle()
        if flushing { queue.append(.flushed) }
        if suspending { queue.append(.suspended) }
        settle()
        #expect(!holdsTime)
        #expect(suspends == resumes)
    }
}
