/// A fault planted in the simulation: checks that miss it check nothing.
package enum PlantedFault: String, CaseIterable, Sendable {
    /// The store claims to have stored what it has not.
    case storesNothing
    /// The store does not recognise what it already has.
    case storesTwice
    /// The store claims to have erased what it has not.
    case erasesNothing
    /// A lost request counts as delivered.
    case cutAnswerCounts
    /// A kill loses the journal.
    case losesJournal
    /// A read key opens what the token opens.
    case forgetsMasking
    /// A revoked key still sends.
    case forgetsRevocation
    /// Health is OK whatever happens.
    case healthIsAlwaysOK

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

package enum Promise: String, Sendable {
    /// Each client: accepted = delivered + dropped + quarantined + pending, across kills and launches.
    case accountsAreExact
    /// What a sender was told is stored is in the store.
    case acknowledgedIsStored
    /// Nothing is stored twice, or without being sent.
    case storedOnceAndSent
    /// What was erased stays erased, and nothing else goes.
    case erasedStaysErased
    /// A sender changes no other sender's account.
    case sendersAreIsolated
    /// A sending key cannot write the collector's own records.
    case ownRecordsAreOurs
    /// No answer reveals a private value to those who may not see it.
    case privateStaysPrivate
    /// A revoked key opens nothing.
    case revokedKeysAreClosed
    /// Every request is answered, and refused only for a reason.
    case requestsAreAnswered
    /// An edit answered with 200 is in the file, once; a refused one is not.
    case editsAreKept
    /// An alert's notices arrive or wait, within bounds.
    case noticesArriveOrWait
    /// Health says whether records are accepted.
    case healthIsTrue
    /// Once all faults are over, everything arrives.
    case everythingArrives
    /// A seed always gives the same schedule and events, whatever the private values.
    case traceIsTheSame
}

/// A schedule that broke a promise, with what is needed to repeat it.
package struct BrokenPromise: Error, CustomStringConvertible {
    package var promise: Promise
    package var seed: UInt64
    package var step: Int
    package var reason: String
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
