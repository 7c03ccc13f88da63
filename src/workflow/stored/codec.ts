import { describeMismatch, findMismatch } from "../../protocol/find-mismatch.ts";
import { AppError } from "../../shared/app-error.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { Workflow } from "../definition.ts";
import type { Event } from "../event.ts";
import type { Input, RunInput } from "../input.ts";
import type { Stored } from "./describe.ts";
import { eventShape, keptInputShape, runInputShape } from "./entry-shapes.ts";
import { type OwedEffect, owedEffectShape } from "./owed-effect.ts";
import { type KeptInput, keepInput } from "./kept-input.ts";
import { type StoredPart, UPCASTS, type Upcast } from "./upcasts.ts";
import { pinnedWorkflowShape } from "./workflow-shape.ts";

/**
 * The only place where data of runs are encoded and decoded. Encoded data carry the version of their shape. Decoded
 * data are upgraded to the present version and checked, so the rest of the program sees only present types. Stored data
 * are never rewritten: their bytes are hashed and signed.
 */
export interface Codec {
  /** The version that is written. */
  readonly version: number;
  encodeEvent(event: Event): JsonRecord;
  decodeEvent(data: JsonRecord, where: string): Event;
  /** Parts that one of the decided events contains in full are left out. */
  encodeInput(input: Input, events: readonly Event[]): JsonRecord;
  decodeInput(data: JsonRecord, where: string): KeptInput;
  encodeMessage(message: RunInput): JsonRecord;
  decodeMessage(data: JsonRecord, where: string): RunInput;
  /** The key and the kind of an effect are stored beside its data. */
  encodeEffect(effect: OwedEffect): JsonRecord;
  decodeEffect(key: string, kind: string, data: JsonRecord, where: string): OwedEffect;
  encodeWorkflow(workflow: Workflow): JsonRecord;
  decodeWorkflow(data: JsonRecord, where: string): Workflow;
}

export function codecOf(upcasts: readonly Upcast[]): Codec {
  const version = upcasts.length + 1;

  function encode(data: object): JsonRecord {
    return { ...data, version };
  }

  function decode<T>(part: StoredPart, shape: Stored<T>, data: JsonRecord, where: string): T {
    const present = upcast(part, data, where);
    const mismatch = findMismatch(shape, present);
    if (mismatch !== null) throw damaged(where, describeMismatch(mismatch));
    return present as T;
  }

  function upcast(part: StoredPart, data: JsonRecord, where: string): JsonRecord {
    const { version: stored = 1 } = data;
    if (typeof stored !== "number" || !Number.isInteger(stored) || stored < 1)
      throw damaged(where, "its version is not a whole number from 1");
    if (stored > version) throw newer(where, stored, version);
    let present = withoutVersion(data);
    for (let at = stored - 1; at < upcasts.length; at++) present = upcasts[at]?.[part]?.(present) ?? present;
    return present;
  }

  return {
    version,
    encodeEvent: encode,
    decodeEvent: (data, where) => decode("event", eventShape, data, where),
    encodeInput: (input, events) => encode(keepInput(input, events)),
    decodeInput: (data, where) => decode("input", keptInputShape, data, where),
    encodeMessage: encode,
    decodeMessage: (data, where) => decode("message", runInputShape, data, where),
    encodeEffect: ({ key: _key, kind: _kind, ...data }) => encode(data),
    decodeEffect: (key, kind, data, where) => decode("effect", owedEffectShape, { ...data, key, kind }, where),
    encodeWorkflow: encode,
    decodeWorkflow: (data, where) => decode("workflow", pinnedWorkflowShape, data, where),
  };
}

export const codec = codecOf(UPCASTS);

/** The data of an entry for surfaces, without the internal version. */
export function withoutVersion(data: JsonRecord): JsonRecord {
  if (data["version"] === undefined) return data;
  const { version: _version, ...shown } = data;
  return shown;
}

function damaged(where: string, what: string): AppError {
  return new AppError(
    "damaged-state",
    `${where} cannot be read: ${what}.`,
    "`baton audit verify` tells whether the log was changed. Restore a backup, or start a new run.",
  );
}

function newer(where: string, stored: number, known: number): AppError {
  return new AppError(
    "damaged-state",
    `${where} was written by a newer Baton: it has version ${stored}, and this one reads versions up to ${known}.`,
    "Update Baton.",
  );
}
