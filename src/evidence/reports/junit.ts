import type { TestFigures } from "../observations.ts";
import { type Shown, looksLikeFile, quoted, refuseReport, withEmpty } from "./report.ts";
import type { TestCase } from "../test-cases.ts";
import { type XmlAttributes, type XmlListener, countAttribute, walkXml } from "./xml-walk.ts";

/** Counts the test cases themselves; the totals of a suite are only compared with that count. */
export function readJunit(text: string): Shown {
  const reader = new JunitReader();
  walkXml(text, reader);
  return { tests: reader.figures(), coverage: null, cases: reader.cases };
}

/** An open suite with the counts of its content, nested suites included. */
interface Suite {
  readonly name: string;
  readonly says: SuiteCounts;
  cases: number;
  suites: number;
  failures: number;
}

interface SuiteCounts {
  readonly tests: number | null;
  readonly failures: number | null;
  readonly errors: number | null;
}

interface Case {
  readonly group: string;
  readonly name: string;
  readonly assertions: number | null;
  failed: boolean;
  skipped: boolean;
  /** Expected to fail: its failure does not count. */
  isTodo: boolean;
  /** Node lists a test file without a test as a test with the name of the file. */
  readonly isFile: boolean;
}

class JunitReader implements XmlListener {
  readonly #suites: Suite[] = [];
  readonly cases: TestCase[] = [];
  readonly #counted = { passed: 0, failed: 0, skipped: 0, empty: 0 };
  #case: Case | null = null;
  #cases = 0;
  #suiteCount = 0;
  #footer = new Map<string, number>();

  opened(name: string, attributes: XmlAttributes, parents: readonly string[]): void {
    this.#footer.clear();
    const parent = parents.at(-1);
    if (name === "testsuites" || name === "testsuite") this.#openSuite(name, attributes, parent);
    else if (name === "testcase") this.#openCase(attributes, parent);
    else if (parent === "testcase") this.#markCase(name, attributes);
    else if (isFailure(name) && isSuite(parent)) this.#countFailedSuite();
  }

  closed(name: string, parents: readonly string[]): void {
    if (name === "testcase") this.#closeCase();
    else if ((name === "testsuites" || name === "testsuite") && parents.every(isSuite)) this.#closeSuite();
  }

  /** Node writes its totals after the last element. */
  comment(text: string, parents: readonly string[]): void {
    const found = parents.length === 1 ? FOOTER_LINE.exec(text) : null;
    if (found !== null) this.#footer.set(found[1] ?? "", Number(found[2]));
  }

  figures(): TestFigures {
    return withEmpty(this.#nodeFigures() ?? this.#counted, this.#counted.empty);
  }

  #openSuite(name: string, attributes: XmlAttributes, parent: string | undefined): void {
    if (parent !== undefined && !isSuite(parent)) refuseReport(`a ${name} stands inside ${quoted(parent)}`);
    if (name === "testsuite") this.#suiteCount++;
    this.#suites.push({
      name: attributes["name"] ?? name,
      says: {
        tests: countAttribute(attributes, "tests"),
        failures: countAttribute(attributes, "failures"),
        errors: countAttribute(attributes, "errors"),
      },
      cases: 0,
      suites: 0,
      failures: 0,
    });
  }

  #closeSuite(): void {
    const suite = this.#suites.pop();
    if (suite === undefined) return;
    refuseContradiction(suite);
    const parent = this.#suites.at(-1);
    if (parent === undefined) return;
    parent.cases += suite.cases;
    parent.suites += suite.suites + 1;
    parent.failures += suite.failures;
  }

  #openCase(attributes: XmlAttributes, parent: string | undefined): void {
    if (!isSuite(parent)) refuseReport(`a testcase stands inside ${quoted(parent ?? "nothing")}`);
    const status = attributes["status"]?.toLowerCase() ?? "";
    const { file, classname = "", name = "", assertions = "" } = attributes;
    const suites = this.#suites
      .map((suite) => suite.name)
      .filter((suite) => suite !== "testsuites" && suite !== classname && !looksLikeFile(suite));
    this.#case = {
      group: file ?? classname,
      name: [...suites, name].join(" > ").slice(-MAX_NAME),
      assertions: /^\d{1,9}$/.test(assertions) ? Number(assertions) : null,
      failed: attributes["failure"] !== undefined || status === "failed" || status === "error",
      skipped: UNTRIED.has(status),
      isTodo: false,
      isFile: isNamedAfterFile(attributes),
    };
  }

  #markCase(name: string, attributes: XmlAttributes): void {
    if (this.#case === null) return;
    if (isFailure(name)) this.#case.failed = true;
    if (name !== "skipped" && name !== "disabled") return;
    this.#case.skipped = true;
    if (attributes["type"] === "todo") this.#case.isTodo = true;
  }

  #closeCase(): void {
    const suite = this.#suites.at(-1);
    if (this.#case === null || suite === undefined) return;
    const { failed, skipped, isTodo, isFile, group, name, assertions } = this.#case;
    this.#case = null;
    const status = failed && !isTodo ? "failed" : skipped ? "skipped" : "passed";
    if (!isFile) this.cases.push({ group, name, assertions, status });
    this.#cases++;
    suite.cases++;
    if (failed) suite.failures++;
    if (failed && !isTodo) this.#counted.failed++;
    else if (skipped) this.#counted.skipped++;
    else if (isFile) this.#counted.empty++;
    else this.#counted.passed++;
  }

  /** A suite that failed itself, for example in its setup, has a failure but no test case for it. */
  #countFailedSuite(): void {
    const suite = this.#suites.at(-1);
    if (suite !== undefined) suite.failures++;
    this.#counted.failed++;
  }

  /**
   * Node counts a test with subtests as a test too, and prints it as a suite: its totals are used where they account
   * for every case and every suite in the report, and report no fewer failures.
   */
  #nodeFigures(): TestFigures | null {
    if (FOOTER_NAMES.some((name) => !this.#footer.has(name))) return null;
    const said = (name: string): number => this.#footer.get(name) ?? 0;
    const figures = {
      passed: said("pass") - this.#counted.empty,
      failed: said("fail") + said("cancelled"),
      skipped: said("skipped") + said("todo"),
    };
    const total = said("pass") + figures.failed + figures.skipped;
    const agrees =
      total === said("tests") &&
      total === this.#cases + this.#suiteCount - said("suites") &&
      figures.passed >= this.#counted.passed &&
      figures.failed >= this.#counted.failed;
    return agrees ? figures : null;
  }
}

function refuseContradiction({ name, says, cases, suites, failures }: Suite): void {
  const where = `the suite ${quoted(name)}`;
  // Some tools count nested suites as tests.
  if (says.tests !== null && says.tests > cases + suites)
    refuseReport(`${where} says that it has ${says.tests} tests and lists ${cases}`);
  if (says.failures === null || says.errors === null) return;
  const failed = says.failures + says.errors;
  if (failed > 0 && failures === 0) refuseReport(`${where} says that ${failed} failed and lists no failure`);
  if (failed === 0 && failures > 0) refuseReport(`${where} says that none failed and lists ${failures}`);
}

function isNamedAfterFile({ name = "", file = "" }: XmlAttributes): boolean {
  return looksLikeFile(name) && (file === name || file.endsWith(`/${name}`));
}

function isSuite(name: string | undefined): boolean {
  return name === "testsuites" || name === "testsuite";
}

function isFailure(name: string): boolean {
  return name === "failure" || name === "error";
}

/** Words for a test that was not run, in tools that have no element for it. */
const UNTRIED = new Set(["notrun", "skipped", "disabled", "ignored", "pending"]);

const MAX_NAME = 300;

const FOOTER_NAMES = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"] as const;
const FOOTER_LINE = /^ (tests|suites|pass|fail|cancelled|skipped|todo) (\d{1,9}) $/;
