import { StoreError } from "../ports/event-log.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";

/** What comes back from a store may have been changed by others: anything but a record is damage. */
export function parseRecord(text: string, what: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StoreError("damaged", `${what} is not JSON`, { cause: error });
  }
  if (!isRecord(value)) throw new StoreError("damaged", `${what} is not a JSON object`);
  return value;
}
