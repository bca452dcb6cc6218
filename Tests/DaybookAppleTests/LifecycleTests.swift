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

    /// Background time is returned exactly as often as granted, and an app in the foreground at the end is not
    /// suspended.
    @Test("In any order of events, time and suspensions balance", arguments: 0..<200) func anyOrderBalances(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var machine = LifecycleMachine()
        var (asked, given, suspends, resumes) = (0, 0, 0, 0)
        var (flushing, suspending, isForeground) = (false, false, true)
        var queue: [LifecycleMachine.Happening] = []
        func settle() {
            while !queue.isEmpty {
                for action in machine.take(queue.removeFirst()) {
                    switch action {
                    case .askForTime:
                        let isGranted = Bool.random(using: &random)
                        asked += isGranted ? 1 : 0
                        queue.append(.timeGranted(isGranted))
                    case .flush: flushing = true
                    case .suspend:
                        suspends += 1
                        suspending = true
                    case .giveTimeBack: given += 1
                    case .resume: resumes += 1
                    }
                }
            }
        }
        for _ in 0..<100 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                queue.append(isForeground ? .entersBackground : .entersForeground)
                isForeground.toggle()
            case 1 where flushing:
                flushing = false
                queue.append(.flushed)
            case 2 where suspending:
                suspending = false
                queue.append(.suspended)
            case 3 where asked > given: queue.append(.timeExpires)
            default: break
            }
            settle()
            #expect(given <= asked)
            #expect(resumes <= suspends && suspends <= resumes + 1)
        }
        if !isForeground { queue.append(.entersForeground) }
        settle()
        if flushing { queue.append(.flushed) }
        if suspending { queue.append(.suspended) }
        settle()
        #expect(asked == given)
        #expect(suspends == resumes)
    }
}
