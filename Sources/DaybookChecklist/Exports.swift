// `import DaybookChecklist` should suffice for `TagPattern`, and for what its errors are made of.
@_exported public import DaybookBase
@_exported public import struct DaybookTools.Diagnostic
@_exported public import struct DaybookTools.SourceLocation
