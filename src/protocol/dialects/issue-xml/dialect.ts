import type { Dialect } from "../../dialect.ts";
import { printXmlDocument } from "../../syntax/xml-document.ts";
import { example } from "./example.ts";
import { lift } from "./lift.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules.ts";
import { issueShape } from "./shape.ts";
import { WORDS } from "./words.ts";

export const issueXml: Dialect = {
  name: "issue-xml",
  number: "001",
  title: "Issue handoff (XML element)",
  container:
    "One XML element, `<handoff>`, in a file of its own or in the agent's answer; `<workflow-complete>` ends a run.",
  syntax: "xml",
  shape: issueShape,
  rules,
  rootRule: "001-R01",
  syntaxRule: "001-R02",
  lastCounts: false,
  words: WORDS,
  demanded: ["from", "to", "timestamp", "issue_number", "status", "summary", "data"],
  example,
  freeSpace: ["data"],
  lift,
  lower,
  print: (document) => {
    const { "#root": root, ...rest } = document;
    return printXmlDocument(typeof root === "string" ? root : "handoff", rest, issueShape);
  },
};
