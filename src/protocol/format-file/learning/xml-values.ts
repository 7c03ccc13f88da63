import type { JsonRecord, JsonValue } from "../../../shared/json-value.ts";
import { guessPlace, textEntryPlace } from "./guess-place.ts";
import { type XmlElement, childElements, elementText } from "../../syntax/xml.ts";

/**
 * Elements of many documents as values, in the way in which a format reads them: attributes are `@name`, the text beside
 * them `#text`, and an element around others of one name is a list. Which elements are lists is known only when all
 * documents have been seen: one of them may have a single entry.
 */
export class XmlValues {
  readonly #places = new Map<string, ElementPlace>();

  /** Notes the elements of a document. */
  see(root: XmlElement): void {
    this.#see(root, "");
  }

  /** The document as a record, when all documents have been seen. */
  record(root: XmlElement): JsonRecord {
    return this.#record(root, "");
  }

  /** The element of the entries, of an element that is a list: by its path, in which `[]` stands for entries. */
  elementAt(path: string): string | null {
    const [first = "", ...inner] = path.split("[]");
    let at = first;
    for (const steps of inner) at = `${at}.${this.#listElement(at) ?? ""}${steps}`;
    return this.#listElement(at);
  }

  #listElement(path: string): string | null {
    const place = this.#places.get(path);
    return place === undefined ? null : listElement(path.slice(path.lastIndexOf(".") + 1), place);
  }

  #see(element: XmlElement, path: string): void {
    const place = this.#places.get(path) ?? newPlace();
    this.#places.set(path, place);
    const children = childElements(element);
    const names = new Set(children.map(({ name }) => name));
    for (const name of names) place.children.add(name);
    if (children.length > names.size) place.repeats = true;
    if (element.attributes.length > 0 || (element.hasElements && elementText(element) !== "")) place.hasMore = true;
    for (const child of children) this.#see(child, `${path}.${child.name}`);
  }

  #record(element: XmlElement, path: string): JsonRecord {
    const record: JsonRecord = {};
    for (const { name, value } of element.attributes) record[`@${name}`] = value;
    const several = new Set<string>();
    for (const child of childElements(element)) {
      if (Object.hasOwn(record, child.name)) several.add(child.name);
      record[child.name] = this.#value(child, `${path}.${child.name}`);
    }
    // Elements of one name without an element around them: no field of a format describes them.
    for (const name of several) delete record[name];
    const text = elementText(element);
    if (text !== "") record["#text"] = text;
    return record;
  }

  #value(element: XmlElement, path: string): JsonValue {
    const place = this.#places.get(path) ?? newPlace();
    if (this.#listElement(path) !== null) {
      if (elementText(element) !== "") return elementText(element);
      return childElements(element).map((child) => this.#value(child, `${path}.${child.name}`));
    }
    const isPlain = place.children.size === 0 && !place.hasMore;
    return isPlain ? elementText(element) : this.#record(element, path);
  }
}

interface ElementPlace {
  readonly children: Set<string>;
  /** Two children of one name in one element. */
  repeats: boolean;
  /** Attributes, or text beside elements. */
  hasMore: boolean;
}

function newPlace(): ElementPlace {
  return { children: new Set(), repeats: false, hasMore: false };
}

/** `documents` with a `document` or a `doc` in it is a list also where there is never a second one. */
function listElement(name: string, { children, repeats, hasMore }: ElementPlace): string | null {
  const [only] = children;
  if (only === undefined || children.size > 1 || hasMore) return null;
  return repeats || isPluralOf(name.toLowerCase(), only.toLowerCase()) ? only : null;
}

/** `open-items` with an `item`, and `changes` with a `file`: a name for a list of the canonical handoff. */
function isPluralOf(name: string, entry: string): boolean {
  if (name.endsWith(`${entry}s`) || (name.endsWith("s") && name.startsWith(entry.slice(0, 3)))) return true;
  const place = guessPlace(name)?.place ?? "";
  return textEntryPlace(place) !== null && !/^(?:created|modified|found|next)$/.test(name);
}
