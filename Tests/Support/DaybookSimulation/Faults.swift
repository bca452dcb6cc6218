/// A mistake made in the simulation on purpose: a check that does not find it checks nothing.
package enum PlantedFault: String, CaseIterable, Sendable {
    /// The store says that it has stored what it has not.
    case storesNothing
    /// The store does not know what it has.
    case storesTwice
    /// The store says that it has erased what it has not.
    case erasesNothing
    /// A request that was lost counts as delivered.
    case cutAnswerCounts
    /// A kill takes the journal.
    case losesJournal
    /// A key for reading opens what the token opens.
    case forgetsMasking
    /// A revoked key still sends.
    case forgetsRevocation
    /// The health is right whatever happens.
    case healthIsAlwaysOK

    /// What it breaks.
    package var breaks: Set<Promise> {
        switch self {
        case .storesNothing, .cutAnswerCounts: [.acknowledgedIsStored]
        case .storesTwice: [.storedOnceAndSent]
        case .erasesNothing: [.erasedStaysErased]
        case .losesJournal: [.accountsAreExact, .everythingArrives]
        case .forgetsMasking: [.privateStaysPrivate]
        case .forgetsRevocation: [.revokedKeysAreClosed]
        case .healthIsAlwaysOK: [.healthIsTrue]
        }
    }
}

/// A promise that was broken.
package enum Promise: String, Sendable {
    /// Of each client: accepted = delivered + dropped + quarantined + pending, over kills and launches.
    case accountsAreExact
    /// What a sender was told is stored is in the store.
    case acknowledgedIsStored
    /// Nothing is stored that nobody sent, and nothing twice.
    case storedOnceAndSent
    /// What was erased stays so, and nothing else goes.
    case erasedStaysErased
    /// What a sender does changes no other sender's account.
    case sendersAreIsolated
    /// A sending key cannot write what the collector alone writes.
    case ownRecordsAreOurs
    /// No answer to who may not see private values tells one.
    case privateStaysPrivate
    /// A revoked key opens nothing.
    case revokedKeysAreClosed
    /// Who asks is answered, and refused only for a reason.
    case requestsAreAnswered
    /// What was answered 200 is in the file, once, and what was refused is not.
    case editsAreKept
    /// What an alert has to tell arrives or waits, within bounds.
    case noticesArriveOrWait
    /// The health says whether records are taken.
    case healthIsTrue
    /// When all faults are over, everything arrives.
    case everythingArrives
    /// The same seed gives the same schedule and the same events, whatever private values are.
    case traceIsTheSame
}

/// A schedule that broke a promise, with what repeats it.
package struct BrokenPromise: Error, CustomStringConvertible {
    package var promise: Promise
    package var seed: UInt64
    package var step: Int
    package var reason: String
    /// The last events.
    package var tail: [String]

    package var description: String {
        """
        seed \(seed), step \(step): \(promise.rawValue): \(reason)
          to repeat: make simulate SEED=\(seed) SECONDS=1
          before:
        \(tail.map { "    \($0)" }.joined(separator: "\n"))
        """
    }
}
