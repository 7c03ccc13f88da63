import { type NoteSet, corpusSet, ownSet, scoreNote, totalsOf } from "./score-notes.ts";

/** `node test/migration/measure.ts` prints what migration takes from each set of notes; `--notes` tells of each note. */
const showsNotes = process.argv.includes("--notes");
const sets = [
  ownSet("own"),
  corpusSet("notes"),
  corpusSet("reports"),
  ownSet("unseen"),
  ownSet("unseen-again"),
  ownSet("unseen-last"),
];
for (const set of sets) {
  if (set === null) console.log("../shared/corpus is absent: its notes were not measured");
  else if (set.notes.length > 0) print(set);
}

function print({ name, notes }: NoteSet): void {
  const scores = notes.map(({ path, items }) => scoreNote(path, items));
  const { recall, precision, listed, entries, gaps, questions, mostQuestions } = totalsOf(scores);
  console.log(
    `${name}: ${notes.length} notes, recall ${recall} % of ${listed} items, precision ${precision} % of ${entries} entries, ` +
      `${questions} questions, at most ${mostQuestions} a note, ${gaps} gaps`,
  );
  if (!showsNotes) return;
  for (const score of scores) {
    console.log(
      `  ${score.name}: ${score.found}/${score.listed} found, ${score.right}/${score.entries} right, ${score.questions} questions`,
    );
    for (const missed of score.missed) console.log(`    missed: ${missed}`);
    for (const wrong of score.wrong) console.log(`    wrong:  ${wrong}`);
  }
}
