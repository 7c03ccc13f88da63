import { slug } from "./slug.mjs";

export function addressOf({ id, title }) {
  return `/articles/${id}-${slug(title)}`;
}
