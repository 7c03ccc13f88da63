/**
 * The public library. Everything here is pure and synchronous: it runs in Node, in a browser, in a
 * worker.
 */
export { AppError } from "./shared/app-error.ts";
export type { AppErrorCode } from "./shared/app-error.ts";
export { DIALECT_NAMES, OUTCOMES } from "./protocol/handoff-words.ts";
export type { BuiltinDialect, DialectName, Handoff, Outcome } from "./protocol/handoff.ts";
export { DEFAULT_LIMITS } from "./protocol/limits.ts";
export type { Limits } from "./protocol/limits.ts";
export type { Diagnostic, DiagnosticCode, Fix, Severity, TextEdit } from "./protocol/diagnostic.ts";
export type { Position, TextRange } from "./shared/line-table.ts";
export { readHandoffs } from "./protocol/read-handoff.ts";
export type { ReadHandoff, ReadOptions, Reading } from "./protocol/reading.ts";
export { writeHandoff } from "./protocol/write-handoff.ts";
export { writeA2aTask } from "./protocol/a2a-task.ts";
export type { WriteNote, WriteOptions, Written } from "./protocol/write-handoff.ts";
export { fixHandoffs } from "./protocol/fix-handoff.ts";
export type { Fixed } from "./protocol/fix-handoff.ts";
export { instructionsFor } from "./protocol/instructions.ts";
export type { InstructionOptions } from "./protocol/instructions.ts";
export { canonicalSchema, editorModeline, jsonSchemaOf } from "./protocol/json-schema.ts";
export { CATALOG } from "./protocol/diagnostic-catalog.ts";
export type { CatalogEntry } from "./protocol/diagnostic-catalog.ts";
export { DIALECTS } from "./protocol/dialects/registry.ts";
export type { Dialect, Rule } from "./protocol/dialect.ts";
export { readFormat } from "./protocol/format-file/read-format.ts";
export type { FormatFileOptions, FormatReading } from "./protocol/format-file/read-format.ts";
export { defineFormat, openFormat } from "./protocol/format-file/open-format.ts";
export type { OpenOptions, OpenedFormat } from "./protocol/format-file/open-format.ts";
export type { DescribedDialect } from "./protocol/format-file/described-dialect.ts";
export type { FieldModel, FormatModel, RuleModel, ValueModel } from "./protocol/format-file/format-model.ts";
export { migrateNotes, migrationPrompt } from "./protocol/migrate-notes.ts";
export type { Migration } from "./protocol/migrate-notes.ts";
