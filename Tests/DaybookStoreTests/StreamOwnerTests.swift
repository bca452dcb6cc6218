import DaybookStore
import Testing

@Suite struct StreamOwnerTests {
    @Test("An account's name gives its stream and its sender") func parsesAccountNames() {
        let names = [
            ("s/o/logs", "s/o/logs", "s/o"), ("s//logs", "s//logs", "s/"),
            ("proof:0a/s/o/logs", "s/o/logs", "proof:0a/s/o"), ("unproven:/s/o/traces", "s/o/traces", "unproven:/s/o"),
            ("proof:0a", "proof:0a", "proof:0a"), ("s/import", "s/import", "s/import"), ("", "", ""),
        ]
        for (account, given, sender) in names {
            #expect(StreamOwner.given(account) == given)
            #expect(StreamOwner.sender(of: account) == sender)
        }
    }
}
