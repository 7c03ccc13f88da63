import { openKnowledgeStore } from "../../src/stores/knowledge/open-knowledge-store.ts";
import { lesson } from "./knowledge-store-lessons.ts";

/** Learns lessons one after the other and says so after each; the same ones in every process. */
const [path = "", first = "1", last = "0"] = process.argv.slice(2);
const store = openKnowledgeStore(path);
for (let number = Number(first); number <= Number(last); number++) {
  await store.learn(lesson(number, [`Remember ${number}n`, `Never forget ${number}n`, "Everybody says this"]));
  process.stdout.write(`${number}\n`);
}
await store.close();
