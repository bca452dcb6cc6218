import DaybookPureeShadow
import Puree

// The code of docs/guides/migrate-from-puree.md, compiled here; a test holds the two to the same lines.

func shadowed(_ outputs: [OutputSetting], filters: [FilterSetting]) -> Logger.Configuration {
    let configuration = Logger.Configuration(
        filterSettings: filters,
        outputSettings: outputs + [ShadowOutput.setting()])
    return configuration
}
