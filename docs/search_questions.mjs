// Ask the search of the built site ten questions of readers, and check the page of the first hit.
//
//     mkdocs build --site-dir SITE && node docs/search_questions.mjs SITE
//
// The search is the site's own: the worker of the theme runs here as it does in a browser.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

const QUESTIONS = {
  "own game": "own-game/",
  install: "install/",
  exploitability: "basics/exploitability/",
  "play against": "play-and-review/",
  poker: "solvers/poker_endgames/",
  "what is a public state": "basics/public_states/",
  "my method against yours": "extend/compare_your_method/",
  team: "teams/",
  network: "networks/",
  "too large": "solvers/scale/",
};

const site = process.argv[2];
const workers = join(site, "assets/javascripts/workers");
const [worker] = readdirSync(workers).filter((name) => /^search\..*\.js$/.test(name));
const index = JSON.parse(readFileSync(join(site, "search/search_index.json"), "utf8"));

let receive;
const answers = [];
globalThis.self = globalThis;
globalThis.addEventListener = (_, listener) => (receive = listener);
globalThis.postMessage = (answer) => answers.push(answer);
runInThisContext(readFileSync(join(workers, worker), "utf8"));

const SETUP = 0;
const QUERY = 2;
await receive({ data: { type: SETUP, data: { ...index, options: { suggest: false } } } });

let numWrong = 0;
for (const [question, page] of Object.entries(QUESTIONS)) {
  await receive({ data: { type: QUERY, data: question } });
  const hits = answers.at(-1).data.items.map(([first]) => first.location.replace(/#.*/, ""));
  if (hits[0] === page) continue;
  numWrong += 1;
  console.error(`${question}: ${page} is hit ${hits.indexOf(page) + 1}, after ${hits.slice(0, 3).join(", ")}`);
}
process.exit(numWrong ? 1 : 0);
