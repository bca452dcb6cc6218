// `import DaybookChecklist` should suffice for `TagPattern`.
@_exported public import DaybookBase
