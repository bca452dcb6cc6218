// `Record`, `Level`, `Value` and the other types that an app names are had with `import Daybook` alone.
@_exported public import DaybookBase
