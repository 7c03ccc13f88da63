import type { ServerResponse } from "node:http";

const COMMON = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "x-dns-prefetch-control": "off",
  "cache-control": "private, no-cache",
} as const;

/** For everything that is no page: it loads nothing and stands in no frame. */
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(COMMON)) response.setHeader(name, value);
  response.setHeader("content-security-policy", NOTHING);
}

/** Of the page: scripts and styles are its own files, and none stands in it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
