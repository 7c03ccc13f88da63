export type { Diagnostic, DiagnosticCode, Fix, Severity, TextEdit } from "./protocol/diagnostic.ts";
