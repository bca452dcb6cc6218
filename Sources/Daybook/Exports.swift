// So that `import Daybook` suffices for `Record`, `Level`, `Value` and so on.
@_exported public import DaybookBase
