import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeStore } from "../../src/ports/knowledge-store.ts";
import { fact, lesson, type OpenKnowledge } from "./knowledge-store-lessons.ts";

/** What agents of a shop have written, by key. */
const FACTS = {
  cents: "Amounts are stored as whole cents, never as floats",
  rounding: "Round once at the end, rounding twice loses a cent",
  rate: "A missing exchange rate gives NaN instead of an error",
  tax: "Tax is computed per line item and not on the total",
  coupon: "Coupons are applied before shipping is added",
  cartMerge: "Guest carts are merged into the account cart after login",
  stock: "Stock is reserved for fifteen minutes during checkout",
  oversell: "Two checkouts at once can sell the last item twice",
  jwt: "Tokens are verified in the gateway with verifyJwt",
  skew: "Clock skew of more than 30 seconds invalidates fresh tokens",
  refresh: "Refresh tokens are rotated on each use",
  cookie: "The session cookie is signed and expires after a day",
  password: "Passwords are hashed with argon2id",
  lockout: "Five failed logins lock the account for ten minutes",
  roles: "Admins inherit the permissions of editors",
  cors: "The API only allows requests from the shop's own origin",
  rateLimit: "Requests are limited to 100 per minute for each client",
  pagination: "Lists are paginated by cursor, offsets get slow",
  etag: "Product pages send an ETag so that browsers can revalidate",
  cdn: "Images are cached by the CDN for a year and have hashed names",
  cacheKey: "The cache key includes the currency and the language",
  invalidate: "Updating a product invalidates its cache entry",
  migration: "Migrations run in one transaction and cannot be rolled back",
  index: "The orders table needs an index on customer_id",
  deadlock: "Updating orders and stock in different order deadlocks Postgres",
  pool: "The connection pool has 20 connections, long queries exhaust it",
  nplus: "Loading order items in a loop makes one query for each order",
  timezone: "Dates are stored in UTC and shown in the customer's timezone",
  leap: "Subscriptions that start on 29 February renew on 28 February",
  queue: "Mails are sent by a worker that reads from the queue",
  retryMail: "Failed mails are retried three times with a growing delay",
  webhook: "Webhooks of the payment provider can arrive twice",
  idempotent: "Payments carry an idempotency key so that retries charge once",
  refund: "Refunds go back to the original payment method",
  pdf: "Invoices are rendered to PDF by a headless browser",
  fonts: "The PDF renderer needs the fonts in assets/fonts",
  flaky: "The checkout test is flaky because it waits for an animation",
  fixtures: "Test fixtures are built by factories in test/factories",
  mockClock: "Tests replace the clock, so never call Date.now directly",
  snapshot: "Snapshot tests break when dependencies are upgraded",
  coverage: "Coverage below 80 percent fails the build",
  lint: "The linter forbids default exports",
  monorepo: "Packages of the monorepo are built in topological order",
  esm: "The build emits ES modules only",
  envvars: "Environment variables are validated at startup with zod",
  secrets: "Secrets come from the vault and are never written to .env files",
  logging: "Logs are structured JSON and must not contain emails",
  tracing: "Every request has a trace id that is passed on to workers",
  metrics: "The latency histogram is exported to Prometheus",
  alerts: "Alerts fire when the error rate is above 2 percent",
  deploy: "Deployments are blue-green and switch after a health check",
  flags: "Feature flags are read once per request",
  a11y: "Buttons without text need an aria-label",
  form: "Forms are validated on the server as well as in the browser",
  search: "Product search is done by Elasticsearch and lags a few seconds behind",
  i18n: "Translations are loaded lazily for each locale",
  upload: "Uploads larger than 10 MB are rejected by the proxy",
  gdpr: "Deleting a customer anonymizes the orders instead of removing them",
  thumbnails: "Thumbnails are generated asynchronously after an upload",
  websocket: "The stock ticker uses a websocket that reconnects with backoff",
} as const;
type Key = keyof typeof FACTS;

const PLAIN: readonly (readonly [string, Key])[] = [
  ["storing amount in cent", "cents"],
  ["rounded twice", "rounding"],
  ["exchange rates missing", "rate"],
  ["computing taxes", "tax"],
  ["applying a coupon", "coupon"],
  ["merging guest cart", "cartMerge"],
  ["reserve stock", "stock"],
  ["verify token gateway", "jwt"],
  ["rotating refresh token", "refresh"],
  ["session cookies expiring", "cookie"],
  ["hashing password", "password"],
  ["login failing locks accounts", "lockout"],
  ["permission of an admin", "roles"],
  ["limiting requests per client", "rateLimit"],
  ["paginating list", "pagination"],
  ["caching images", "cdn"],
  ["product update invalidation", "invalidate"],
  ["migration transactions", "migration"],
  ["indexes on order table", "index"],
  ["deadlocking", "deadlock"],
  ["connection pools", "pool"],
  ["dates in utc", "timezone"],
  ["retrying failed mail", "retryMail"],
  ["payment webhook arriving", "webhook"],
  ["refunding a payment", "refund"],
  ["rendering invoice pdf", "pdf"],
  ["test factory fixture", "fixtures"],
  ["validation of environment variable", "envvars"],
  ["deployment health checks", "deploy"],
  ["translation locales", "i18n"],
];

const HARD: readonly (readonly [string, Key])[] = [
  ["how do we make sure a customer is not charged twice when a payment is retried", "idempotent"],
  ["why does the checkout test fail sometimes", "flaky"],
  ["authorisation token verification in the gateway", "jwt"],
  ["postgre", "deadlock"],
  ["what happens with orders when a customer gets deleted", "gdpr"],
  ["anonymised customer orders", "gdpr"],
  ["socket reconnection backoff strategy", "websocket"],
  ["where do secret values live, dotenv or vault", "secrets"],
  ["subscription renewal in february of leap years", "leap"],
  ["max upload size", "upload"],
];

/** How well every knowledge store finds what it was taught, in the words that agents use. */
export function describeKnowledgeSearch(name: string, open: OpenKnowledge): void {
  let store: KnowledgeStore;
  beforeAll(async () => {
    store = await open();
    for (const [at, text] of Object.values(FACTS).entries())
      await store.learn(lesson(at + 1, [fact(text, { kind: "gotcha" })]));
  });
  afterAll(() => store.close());

  /** The queries whose fact is not among the first five. */
  async function missed(queries: readonly (readonly [string, Key])[]): Promise<string[]> {
    const lost: string[] = [];
    for (const [query, key] of queries) {
      const found = await store.search({ text: query, max: 5 });
      if (!found.some(({ fact: { text } }) => text === FACTS[key])) lost.push(query);
    }
    return lost;
  }

  describe(`${name}: hits`, () => {
    it("finds other forms of the words: at least 29 of 30 among the first five", async () => {
      expect(PLAIN).toHaveLength(30);
      expect((await missed(PLAIN)).length, String(await missed(PLAIN))).toBeLessThanOrEqual(1);
    });

    it("finds beginnings of words and parts of the question: at least 8 of 10 among the first five", async () => {
      expect(HARD).toHaveLength(10);
      expect((await missed(HARD)).length, String(await missed(HARD))).toBeLessThanOrEqual(2);
    });

    it("puts facts with all words before facts with some of them", async () => {
      const found = await store.search({ text: "tokens gateway", max: 5 });
      expect(found[0]?.fact.text).toBe(FACTS.jwt);
    });
  });
}
