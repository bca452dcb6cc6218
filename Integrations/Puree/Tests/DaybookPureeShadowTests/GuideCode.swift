import DaybookPureeShadow
import Puree

// The code of docs/guides/migrate-from-puree.md; a test keeps the two equal.

func shadowed(_ outputs: [OutputSetting], filters: [FilterSetting]) -> Logger.Configuration {
    let configuration = Logger.Configuration(
        filterSettings: filters,
        outputSettings: outputs + [ShadowOutput.setting()])
    return configuration
}
