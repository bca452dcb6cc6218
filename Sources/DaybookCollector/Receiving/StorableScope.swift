import DaybookBase
import DaybookTools

extension InstrumentationScope {
    /// The scope with storable texts.
    var storable: InstrumentationScope {
        InstrumentationScope(name: name.storable, version: version.storable, attributes: attributes.storable)
    }
}
