// `TagPattern` is had with `import DaybookChecklist` alone.
@_exported public import DaybookBase
