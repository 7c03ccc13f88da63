import type { DialectName } from "../../src/protocol/handoff.ts";

/** What the reader has to say of one file, judged by eye. */
export interface CorpusVerdict {
  /** Null when nothing was recognised. */
  readonly dialect: DialectName | null;
  readonly verdict: Verdict;
  /** The rule, or the code where no rule was broken, with its severity and how often it was told. */
  readonly diagnostics: readonly string[];
  readonly note: string;
}

/** Accepted; refused, but accepted after its fixes; refused; or there is no handoff in it. */
export type Verdict = "valid" | "repairable" | "refused" | "none";

/**
 * Our own files in `test/fixtures/variants`: what real files do, in our words.
 *
 * name, dialect, verdict | what is reported | why
 */
const OUR_FILES = `
absolute-and-placeless__review.md output-json valid | warning 004-R06, warning 004-R07 x2, warning 004-R08 | approved with conditions, read as complete; absolute directory, places without lines
agents-as-attributes.xml issue-xml refused | error 001-R02, error 001-R03, error 001-R04, error 001-R05, error 001-R06, error 001-R08, error 001-R09, error 001-R10 | agents as attributes, an element of its own, an ampersand that is not escaped
agents-only__handoff_reviewer_to_tester.json pipeline-json refused | error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | agents and time only; the rest stands in a field of its own
another-family__letter.xml - none | error 001-R01 | another XML family
another-workflow__MANIFEST.yaml output-json none | info manifest, warning missing-field | a manifest of another workflow, which names its feature otherwise
approval-too-short__4.xml issue-xml refused | error 001-R15 x2, warning 001-R05, warning 001-R08, warning 001-R10 | an approval without issue number and summary
blocked-for-another-reason__log.md output-json refused | error 004-R09 | blocked for a reason of another workflow
brackets__message.md - none | error 002-R18 | a text form in brackets, neither YAML nor a summary with a verdict
capitals.yaml phase-yaml refused | error 002-R01, error 002-R02 | the key in capitals, an unquoted name, none of the required fields
count-for-list__implementation-log.md output-json refused | error 004-R16 | a count where a list of files belongs
duplicate-key__task-013-stamp.md task-yaml refused | error 003-R15, error duplicate-key | two outcomes: what could be read in two ways is refused
early-draft__handoff.json pipeline-json refused | error 000-R02, error 000-R07, error 000-R18 x2, warning 000-R01, warning 000-R08, warning 000-R09, warning 000-R21 | an early draft: comment line, no status, artifacts without priority
end-without-metrics__6.xml issue-xml refused | error 001-R20, warning 001-R05, warning 001-R10 | the end of a run without its metrics
failure-policy.yaml - none | error no-handoff | a failure policy, no handoff
feature__MANIFEST.yaml output-json none | info manifest | a manifest: known, holds no handoff
four-fields-missing__plan.md output-json refused | error 004-R03 x4 | an agent, so the metadata layer, but four of its fields are missing
front-matter-outcome__session.yaml task-yaml repairable | error 003-R02, warning several-roots | front matter with an outcome of another vocabulary, SUCCEEDED, which can only be completed; the body is a second document
general-form__1.xml issue-xml refused | error 001-R08 | the general template, its status still a list of choices
heading-and-fence__task-004-colour.md task-yaml valid |  | a whole task file, with the words of the format in its prose
heading-without-fence__task-005-ink.md task-yaml valid |  | YAML below the heading, without a fence
in-prose__closing.md issue-xml valid | warning 001-R05, warning 001-R10 | the end of a run, as an element in prose
intake-without-receiver__2.xml issue-xml refused | error 001-R04, error 001-R05, error 001-R08, error 001-R09, error 001-R10 | an intake form without its receiver
issue-without-author__3.xml issue-xml refused | error 001-R03, error 001-R05, error 001-R08, error 001-R10, error 001-R11 x2 | a template without its author, two fields still lists of choices
keyed-by-reviewer__quality.md output-json refused | error 004-R08, error 004-R13, error 004-R14, error 004-R15 | a block keyed by the reviewer: known by its heading only
legacy-summary__report.md phase-yaml valid | info 002-R18 | a summary without a block, with its verdict in the heading
marker__task-010.done - none | error 002-R18 | a marker file of one word
no-handoff-section__task-009-load.md - none | error 002-R18 | a task file without a handoff section
nobody-follows__verify-report.md phase-yaml refused | error 002-R03, error 002-R04, error 002-R06, error 002-R16, warning 002-R01 | unfenced; no phase and status, name without @, context as text; no receiver, which is right
other-names__handoff_hub_to_spoke.json pipeline-json refused | error 000-R04, error 000-R05, error 000-R06, error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | other names for the two agents, and none of the other fields
own-vocabulary__summary.md phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06 | names without @, a phase and a status of its own
partial-without-steps__task-007-fold.md task-yaml refused | error 003-R14, warning 003-R15, warning 003-R16 | partial without next steps, a blocker without its resolution
phase-layer-too-short__test.md output-json refused | error 004-R14, error 004-R15 | no agent, so the phase layer, but no phase and summary
placeholders__agent.md phase-yaml refused | error 002-R08 x2 | a prompt whose example still has placeholders
prose-below-heading__task-008-pack.md - none | error 003-R01 | prose below the heading: work for migrate
real-output__implementation.md output-json valid |  | output with fields of its own, nothing to remark
requested-changes__5.xml issue-xml valid | warning 001-R05, warning 001-R08, warning 001-R09, warning 001-R10, warning 001-R14 | requested changes; one count disagrees with the list
routes-table.md issue-xml refused | error 001-R03 x2, error 001-R04 x2, error 001-R05 x2, error 001-R06 x2, error 001-R08 x2, error 001-R09 x2, error 001-R10 x2 | a table of routes: two elements with attributes and a few words
steps-to-check__VERIFY.md - none | error 002-R18 | steps to check a build
task-list__handoff.json - none | error no-handoff | a task list that is only called handoff
task-report__LABELS-loop-003.json - none | error no-handoff | a task report in JSON, none of the five formats
text-after-block__design.md output-json valid | warning 004-R01, warning 004-R08 | text after the block, a status with a hyphen
tilde-fence__task-006-cut.md task-yaml valid | warning 003-R15, warning 003-R16 | a fence of tildes; a blocker without resolution and tasks
trailing-commas__handoff-TestAgent.json pipeline-json repairable | error 000-R02 x2 | two trailing commas: JSON has none, and the repair is safe
two-blocks__judge-report.md phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01, warning superseded-block | two blocks, the last unfenced; no phase and status, names without @, context as text
unclosed-fence__task-012-send.md task-yaml refused | error truncated | a fence that is never closed: the text may have been cut off
unfenced-after-rule__qa-report.md phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01 | unfenced after a separator; no phase and status, a name with a colon, context as text
unquoted-names__summary.md phase-yaml repairable | error 002-R01 x2 | unquoted names, a YAML error that can be repaired
unrelated-json-after__log.md output-json valid | warning 004-R01 | settings in a json block after the metadata block, which still counts
windows-lines__task-011-seal.md task-yaml valid |  | a byte order mark and carriage returns
without-loop-fields__handoff-BackendBuilder.json pipeline-json valid | warning 000-R08, warning 000-R09 | a complete file from before the loop fields
`;

/**
 * Real files from public repositories. They belong to others and are no part of this project, so they are known by the
 * hash of their content; neither name nor text stands here.
 *
 * hash, dialect, verdict | what is reported | why
 */
const REAL_FILES = `
01dc069a994e0f703cb365a2348f74d2ffe24c0f86ab6544fa8706535ad3b735 - none | error no-handoff | a task report in JSON, none of the five formats
04e1db6239af2c2a082d39d8f740f964d0d520d055167c8c4e3fb8faacd97481 - none | error no-handoff | a task report in JSON, none of the five formats
05ca5c6e4766137594c98766512fe3907cf9dad0981f781ac75db974256dc07c issue-xml refused | error 001-R03 x5, error 001-R04 x5, error 001-R05 x5, error 001-R06 x5, error 001-R08 x5, error 001-R09 x5, error 001-R10 x5 | a table of routes: five elements with attributes and a few words
06920718f57df18241f4642e6b9af44a35987e6e44ecb2e1881ce342a16ee6db issue-xml refused | error 001-R15 x2, warning 001-R05, warning 001-R08, warning 001-R10 | an approval without issue number and summary
084587dcb74c51963651ff33da83afd9f9c8283a9b8fc0c18d5fbe73dfb5d968 issue-xml refused | error 001-R03, error 001-R05, error 001-R08, error 001-R10, error 001-R11 x2 | a template without its author, two fields still lists of choices
0abe12671ceda15971150164ab1693a7c9bc07ddc22588e13eb899043f83a973 issue-xml refused | error 001-R08 | the general template, its status still a list of choices
0c706ac4fef388fd918b37062986a73dffa0a6182e6e3ad51c3571645e5b9f16 output-json refused | error 004-R03 x6 | an agent, so the metadata layer, but six of its fields are missing
0f05a45c950ac00ebe2d76f472a679e90297848ff548afe7222faf8a985da84b issue-xml refused | error 001-R16, warning 001-R05, warning 001-R09, warning 001-R10 | a typed form without the issue's number
0ff4c97e796999e6a2d009e7ee84623467a44751d3a93e2583c675494e0790c7 phase-yaml refused | error 002-R03, error 002-R04, error 002-R05 | a number for the phase, no agents
1581bc14a4a709ceb442861ad35c389996bfe8a616c685a178d851afec496872 - none | error no-handoff | a failure policy, no handoff
17cdfdfb05f9df92126d3f17469eb703ddaa6fa0a3599cc86eb797bbb89e4fef task-yaml repairable | error 003-R02, warning several-roots | front matter with an outcome of another vocabulary, SUCCEEDED, which can only be completed; the body is a second document
18e35d17c7079a8b2fdd86de8dc61fcb086d758709d837bdaeed6051239957dd output-json refused | error 004-R02 x3 | the template, with choices where JSON has none
195978494cfa0fb661c26d6f61fb554ed91032b2f6a7eeb8df9041a28c1f1e69 - none | error 002-R18 | another XML family
1a63d9e689b8b0ddae5fdded02c9b91628ce4f008debe66525e623aeaa89733b phase-yaml refused | error 002-R03, error 002-R04, error 002-R06, error 002-R16, warning 002-R01 | unfenced; no phase and status, name without @, context as text; no receiver, which is right
1acf91509f25a2150af2cc75bb9883ae8d846bee05d1253eaec1f899ae2908db output-json valid | warning 004-R06, warning 004-R07 | real output, absolute directory, places without lines
1afcab84c757f25e1c805249b48b8251d8d57b57d9e498f3818960e9fef11a2b phase-yaml refused | error 002-R01 x2, error 002-R02 | the key in capitals, unquoted names, none of the required fields
22771422be69201eec99c6bbed98fd70ddeacea009100cc4e58d010de9c40bfd output-json valid | warning 004-R06, warning 004-R07 | real output, absolute directory, places without lines
227d2993cf16f73a00a17c8d38aa34d6732074495498934aafff8a2e8ac5612c output-json valid |  | real output, nothing to remark
23bbfc65ddce1abd18502da3accc6813c0c2fa20b92e20ab005bb5a9372afb7e issue-xml refused | error 001-R03, error 001-R04, error 001-R05, error 001-R06, error 001-R08, error 001-R09, error 001-R10 | agents as attributes, elements of its own
2732ee4df7f6631a6c8014d46b6a370aeb147c24cbdce136e252d53dd31a8ab6 pipeline-json valid | warning 000-R08, warning 000-R09 | an example of the format's own page, without the loop fields
27f1868501193adc931752f1f3e7fcb4c3afeb4845ae7bce9527bd5698971d84 output-json refused | error 004-R16, warning 004-R06 | real output, a count where a list of files belongs
2daac2635cdb0f31034de65f66da54264b5f4bf28082a1f44718b8d71d1b8514 output-json refused | error 004-R14, error 004-R15 | no agent, so the phase layer, but no phase and summary
3029603c0aa372bce49645251c06f13954c062612da6e4a308cd3f1fb14dd8af output-json refused | error 004-R03, warning 004-R06, warning 004-R07 x2 | real output, one required list is missing
3c6783cc10de663a4614465d0d2ed60d57fb3dedef46bdcc1083074e579ccdd9 output-json valid | warning 004-R06, warning 004-R07 x3 | real output, absolute directory, some places without lines
3c8f1bdca305cc225078be6dcec22e66b9a25f43a4b16b882fd5bb65b19a45d3 - none | error no-handoff | a task report in JSON, none of the five formats
3d9b43355f3b34925b64a4fe7978762f27145a8d9cdb1625376f1c772b30e4a8 - none | error 002-R18 | another XML family
406a06acb4c60fba0c49b704b52b8fde040c689830abf62acd287664a1cadae0 pipeline-json refused | error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | agents and time only; the rest stands in a field of its own
452897cd010d1eadb4f107525f63fff3621342b67848f6b185e808c27f575f5e phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01 | unfenced; no phase and status, names with a colon, context as text
485a8b19595e47f3d90de5e3271874767d48df6cabc749f4302eab325ba023fe phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01, warning superseded-block | two blocks, the last unfenced; no phase and status, names without @, context as text
49ccee85eaef02e60213ac24441aebb4592262ebf56979ca580ca1c4a1ad23b4 phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01, warning superseded-block | two unfenced blocks; no phase and status, names without @, context as text
4d89a3efd1dab274fdbca6bf5bf718b6658ed6416917d1b12873598651b56ed7 output-json valid |  | blocked, with reason and attempts
50a53947c63386fdc585adda23a92dec1f34aa750fab9ccbb173699e786db646 phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01 | unfenced; no phase and status, names without @, context as text
52848a38a309da10a496cbd5b2d50b241930a0069ac47d2f973ee56c9406a68b output-json valid | warning 004-R06 | real output, absolute directory
555698bec9be3acc07382eb374964ef1cf3ec612ff3f604491c6ebe6a26c0572 output-json refused | error 004-R09, warning 004-R14 | blocked for a reason of another workflow
56c07d4ea59614ff3cd014fcd1745bbd33dfdc6489e22e938d7e258da266d046 output-json refused | error 004-R03 x6 | an agent, so the metadata layer, but six of its fields are missing
570777cf937fd9e9762ae5898975c0eb61e061c5b66c18ac3409fa08737fab30 output-json refused | error 004-R03 x6, warning 004-R14, warning 004-R20 | an agent, so the metadata layer, but six of its fields are missing
58f75c0e250cccaa1127b6842e0deb4b8b24d2688d1a6376c4f9a42b57ab2ae5 pipeline-json refused | error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | agents and time only; the rest stands in a field of its own
5af77d5b908dea799b9df6f052836ad6fb8807f6df16cfa397bc888488505ea6 output-json valid | warning 004-R06, warning 004-R07 | real output, absolute directory, places without lines
5bf17f9399732b80ece3db2ae2ef0a0d5a1fef46afba09ceca021689f246cfe6 phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01 | unfenced; no phase and status, names with a dot, context as text
5f78df6429cf57181ea7055e2cece486f1d27a3704dde7f4f83a01aace98af3a - none | error 002-R18 | another XML family, a template
60f1a337d98080435f78d7911ca1864cf1ce71c2d3ca39692b44e47b3cf4dc6a phase-yaml refused | error 002-R03, error 002-R08 x3 | a template with placeholders and a phase of its own
62bcdff36a68aa005ecccf33a8e239eb689324a28bd8cd2c9b8b14e0b89530a5 phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06 | names without @, a phase and a status of its own
6a72382c59af8de70e4d321865a9cbbf3724eb8b45f0fcb8da6de81eaa1560f3 pipeline-json refused | error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | agents and time only; the rest stands in a field of its own
6b3cdd6bc4e84f5e863f00ce857b9cb95289fdf53ef4c3448f8da13e782c3cf0 - none | error no-handoff | a task report in JSON, none of the five formats
6ea2ebee9d28db3f6539224ffb43e941feaa5bc8ce6605c1768fa41ae4060bc5 issue-xml valid | warning 001-R05, warning 001-R10 | the end of a run, as the format shows it
705e11cb1d32d092aaf41ab9b0ac6b03fd668e5231e0ec3bac3ea48a0fbb7556 - none | error 002-R18 | another XML family, and not well-formed
71a63a43ea7c899600d3b1187d73d7fce27e5720edce42a74baea7cb62e64724 pipeline-json refused | error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | agents and time only; the rest stands in a field of its own
71c5c6ddb2952199695f7fcc25a6549123ce96a8c7776b5901db7ec8b4d74ffe - none | error 002-R18 | steps to check a build
7c74652b473c3686fcc2b2c7c573996c69b0c0d59fe7089f8134607ecc746306 output-json refused | error 004-R03 x4 | an agent, so the metadata layer, but four of its fields are missing
7fbd0ea7fe5b9584410240e244eb5b5c1f104d53b0c8fbab4f571e75a2913691 - none | error 002-R18 | steps to check a build
80569a6bb9793ed1738b09fd0e95335369887bcf48ba4418becfb148dea31f49 task-yaml repairable | error 003-R02, warning several-roots | front matter with an outcome of another vocabulary, SUCCEEDED, which can only be completed; the body is a second document
80c8eef15b718d485feeb5639287d1c4fc010e8d2d274c005215a4d4a01286c9 output-json none | info manifest | a manifest: known, holds no handoff
84beb25379550f9d8a915dcd137abf7f819bf7f519a5932cb3dcd6a3a1048567 output-json refused | error 004-R03 x6, warning 004-R20 | an agent, so the metadata layer, but six of its fields are missing
8aea4947db1d18e555dcb4821def353640b815e3ded7023a93791a1dd931d047 - none | error no-handoff | a task report in JSON, none of the five formats
8b572f40b6ddf0bcba2dff0c753cf5bea985a11b22401a8690eac8212cb93572 issue-xml valid | warning 001-R05, warning 001-R08, warning 001-R09, warning 001-R10, warning 001-R14 | requested changes; one count disagrees with the list
8d6fa9326fda02e8e1b12e5037596598271ea738c48d739b996df01f7663797d task-yaml refused | error 003-R02, error several-roots | front matter with an outcome of another vocabulary; the body is a second document
8e14b487b3c7484a6d3508f14d0b7269bc7ef505ae5a0e4acc991ce03389325e output-json refused | error 004-R08, error 004-R13, error 004-R14, error 004-R15 | real output, its block keyed by the reviewer: known by its heading only
90a5e72250cd958d2f21e81b329857a2c8506a8a7201bfd09a03b39bb424ea98 issue-xml refused | error 001-R12, warning 001-R05, warning 001-R09, warning 001-R10 | a typed form, one field still a list of choices
92ffe70133dfdb3c7be6a102619c32c3ba37a5949c0ae5a7c27f4e0dfc996cef pipeline-json refused | error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | agents and time only; the rest stands in a field of its own
934353b1fc48cd199f12812e23d9b019d865e9333b18714265b5d5928ceab73a phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06, error 002-R16, warning 002-R01 | unfenced; no phase and status, names without @, context as text
938d081921211bce22cfe631c8ebf13ece04c2bd2e7638d224ae8d87baef1f1a task-yaml refused | error 003-R02, error several-roots | front matter with an outcome of another vocabulary; the body is a second document
946f9f53e114d2b42826bc699ca7b71ea6580fa437c907bdb8d1b60df3d39805 - none | error 002-R18 | another XML family, a template
94d68385fa32db710a6351090f2bb9c216732adc5227cb78cd78543400b0f06a output-json refused | error 004-R03 x3, error 004-R08, warning 004-R06 | real output without status and three lists; its handoff section is prose
977e1b991a9ecf0a9dff6b96476c113b4b7f313fbc50912406d27971057eb27a phase-yaml refused | error 002-R08 x3 | a template with placeholders
97f8c152e37f5d935ca446865817015ac30534dc4371b8b3aba827e2bdb119cd pipeline-json refused | error 000-R02, error 000-R07, error 000-R18 x2, warning 000-R08, warning 000-R09, warning 000-R21 | an early draft: comment line, no status, artifacts without priority
9a1bb40c8a1a7d5f7a47c065a2614fecf1945546860c4b078063b564a438d7ec - none | error 002-R18 | another XML family, a template
9a5d7e876245a3b5193433aaf1bafe8fb4e22b2f48b07785cfb42997c4c48fe8 output-json valid | warning 004-R06 | real output, absolute directory
9d57b47ae2c07c67ad801c59175dd98123ada602e7af513c21e23e6184e9c136 phase-yaml refused | error 002-R03, error 002-R04, error 002-R05, error 002-R06 | no phase and author, a status of another format
9ec3ff1b91856960101a6de48ee0c5035c5c7053310b46a0c8c27643873ac511 - none | error no-handoff | a task report in JSON, none of the five formats
a04bc45f3c9ca23eaa590e25691aeb9bfd5dbaaa52b47de0147a92e2ff943b43 - none | error 002-R18 | a task file without a handoff section
a0f6db78d11f28bc6f30ebb56c35d57cb93b6f7a29756ba3b7578edb76271004 issue-xml refused | error 001-R04, error 001-R05, error 001-R08, error 001-R09, error 001-R10, error 001-R17 x3 | an intake form without its receiver
a3d4bf9ecc084b616496f40fd7f6e4248ebd1254601231db970428366c01160c output-json valid |  | real output, nothing to remark
a4c3ed04a95a3da14a9d235c83d868bed7c0f45cf7f3faa751ee8f50598d2211 - none | error 002-R18 | a marker file of one word
a6f3ff56aeff76ad684106ba9c66f1783949ad32ab15a963f1cecef265bcf1dc phase-yaml refused | error 002-R08 x3 | a template with placeholders
a86b32681510676f10eb5ba43bdb7de3119cd2dc76e1bad8fa9028ca5fd8df90 - none | error 002-R18 | a text form in brackets, neither YAML nor a summary with a verdict
aea1961b2bfc67fd0947979e5cc536d8ef473b9ecb9ab1bb051af8652385b1f1 - none | error 002-R18 | steps to check a build
afecadcdf74988fd5b44c7bc901846eeefbd8d50b5f077d06a66b67904a84ae7 output-json refused | error 004-R03 x6 | an agent, so the metadata layer, but six of its fields are missing
b0c7cc5b1452dfc7d3aeaecabce744894374645d938251a4707c1e5f8d7d806c output-json none | info manifest | a manifest: known, holds no handoff
b34c3e854ff6cf26758bf7f4fdcdfe6ffff08d2674072752251f5df769813fd6 issue-xml refused | error 001-R04, error 001-R05, error 001-R08, error 001-R09, error 001-R10 | an intake form without its receiver
b728b64fd62d46f6f5c3d538f15293db258752a1d2440c6eeb2fcf2b0453fc8d - none | error 002-R18 | another XML family, a template
b915f6fc3b56e04682bea6aa84e59db557698e06a847a2f392f857bf0b304512 output-json valid | warning 004-R14, warning 004-R20 | the metadata layer is whole; its phases are of another workflow
bd138b87f66fd34ac1d58c3b8b49a9faebb4c89f907d71bb8ac34a582e5ba530 output-json valid |  | blocked, with reason and attempts
c1f5d202c355285baa709260b3782fc58ce1a2e78ee5072524e4100ea21857ef - none | error no-handoff | a task list that is only called handoff
c4de56c1279b2555c16a4c9c9a6aa1d942448fe218aa874346597c79d2c80d1d output-json valid | warning 004-R07 | real output, places without lines
cb2ddf0030b5b26ed4fe0961fa1e7b370e7bbe404ea8fc093a7207b6c58f0445 output-json valid | warning 004-R06, warning 004-R14 | real output, absolute directory, a phase of its own
cc7bc6e61a3843e79831e684d4e82df84d861eaac6d67d4be185f234fb4543e0 output-json refused | error 004-R03 x4 | an agent, so the metadata layer, but four of its fields are missing
cc7fe6bc734fb5c356fcbb350da1d4635a1005cadbe684c7c6dcf146c5f782ab pipeline-json refused | error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | agents and time only; the rest stands in a field of its own
d117fa006ba9208500b2930ce69cbde436c647afa917cb7396a9bc9111a46dd2 - none | error 002-R18 | a marker file of one word
d722501f756ca8bc76e59e8f0dbe0a0692d42d9ad2e75deb92a43c576c3435e7 issue-xml refused | error 001-R20, warning 001-R05, warning 001-R10 | the end of a run without its metrics
da33f740ab20824f955ffcf8f9f6bd0130e8d1d82e73f3caa41bc1e2e09fbfb0 task-yaml refused | error 003-R02, error several-roots | front matter with an outcome of another vocabulary; the body is a second document
daf7127f6dd1d8c389fecb4dbe35fcb960b8d17a537ab381cd8308a4bc6d195e output-json none | info manifest, warning missing-field | a manifest of another workflow, which names its feature otherwise
dc5a9168fa1ef4bdc3d4c9a2cb91815b82b3384687e7975a6ea56662c4d1a2db output-json valid | warning 004-R08 | real output, approved with conditions, read as complete
df44b0715da5b68318028d452b373e58e447beb1f302b960a47c913d49336bc7 - none | error 002-R18 | another XML family
e22b25e98ef9e41f099dd378bbf3345134b4cbb66a1328b351ab93c7f4338c87 - none | error 002-R18 | another XML family
e3edde0b9df6eaa79520e1c6862b39dfb41c434c664b6dcc0efdc19b1fe97a1a - none | error 002-R18 | steps to check a build
e48cc5286c57c3a25d1286b1be55f430949bff182715b4e6600154eba2f1f252 - none | error 002-R18 | front matter and one heading
e850825e7ca85b78e5a5443b07e866a786210ff6e076f7f92752d9e46cc4e613 task-yaml refused | error 003-R02, warning several-roots | front matter with an outcome of another vocabulary; the body is a second document
ea757b5061208a5945837ada682c63f5d1199cbe668dd4d4692c548504fadef7 issue-xml refused | error 001-R03, error 001-R04, error 001-R05, error 001-R06, error 001-R08, error 001-R09, error 001-R10 | the root with attributes and plain words inside
ebc430646b29734fe6d33608d45a889c25f34332b5579b82600958c0fa8e94a2 - none | error no-handoff | a task report in JSON, none of the five formats
ecbaa0db9e22a3cbcfc5eb633565e08524b28ca02d07a94340002058542fc000 pipeline-json refused | error 000-R04, error 000-R05, error 000-R06, error 000-R07, error 000-R14, error 000-R19, error 000-R31, warning 000-R01, warning 000-R08, warning 000-R09 | other names for the two agents, and none of the other fields
eee756081e2ac8028dd0de6155a93edb12fe3c47f7832e03451b0d34e997cae2 - none | error 002-R18 | a handoff in prose: work for migrate
f6030561c36186cc8550509246a60dbced211e6b8b1995bde0724db6bb4eb6ba output-json valid | warning 004-R07 | real output, places without lines
fb6078cea33d9ea9ba3d0be7c5e8817e93f3b753536453b1f02450b6925723e8 output-json refused | error 004-R03 x4 | an agent, so the metadata layer, but four of its fields are missing
fcc59325f6ecd6fa3845bbc2bc012270e9e7d941e245ce0d26c889178ec40e32 output-json valid | warning 004-R07 x2 | complete; verified places without lines
`;

/** By the name of the file. */
export const ourVerdicts = readTable(OUR_FILES);

/** By the hash of the content. */
export const realVerdicts = readTable(REAL_FILES);

function readTable(table: string): ReadonlyMap<string, CorpusVerdict> {
  return new Map(table.trim().split("\n").map(readRow));
}

function readRow(row: string): [string, CorpusVerdict] {
  const [head = "", reported = "", note = ""] = row.split(" | ");
  const [key = "", dialect, verdict] = head.split(" ");
  const diagnostics = reported === "" ? [] : reported.split(", ");
  return [
    key,
    { dialect: dialect === "-" ? null : (dialect as DialectName), verdict: verdict as Verdict, diagnostics, note },
  ];
}
