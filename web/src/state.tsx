// One public state: where it is, what each player may hold, what the policy does there.

import { useState } from "preact/hooks";
import {
  ActionBar,
  Failure,
  More,
  PlayerMark,
  Share,
  Term,
  count,
  number,
  percent,
  useAnswer,
  useNames,
  usePages,
  usePot,
  valueText,
} from "./parts";
import type { Action, HandCell, HandGrid, Infostate, State } from "./types";

interface Place {
  policy: number;
  state: number;
}

export function StateView({ policy, state, players, go }: Place & { players: number; go: (state: number) => void }) {
  const { answer, error } = useAnswer({ ask: "state", policy, state });
  const pot = usePot();
  if (error) return <Failure text={error} />;
  if (!answer) return <p class="quiet">…</p>;
  return (
    <section class="state" aria-label="public state">
      <Path about={answer} go={go} />
      <p class="facts">
        {answer.num_histories > 0 && (
          <span>
            {count(answer.num_histories)} <Term of="history">{answer.num_histories === 1 ? "history" : "histories"}</Term>
          </span>
        )}
        <span>reached in {percent(answer.probability)} of plays</span>
        {answer.values?.map((value, player) => (
          <span key={player}>
            <PlayerMark player={player} /> <Term of="value">value</Term> {valueText(value, player, pot)}
          </span>
        ))}
      </p>
      {!answer.values && (
        <p class="never-note" role="note">
          This policy never reaches this public state: there is no belief, and no value of the state. Its actions here
          are shown nevertheless.
        </p>
      )}
      <div class="parts">
        {inOrder(answer.actors, players).map((player) => (
          <InfostateTable key={player} policy={policy} state={state} player={player} />
        ))}
        {answer.values && players > 1 && <BeliefTable policy={policy} state={state} players={players} />}
      </div>
      {answer.num_histories > 0 && <HistoryTable policy={policy} state={state} total={answer.num_histories} />}
    </section>
  );
}

function Path({ about, go }: { about: State; go: (state: number) => void }) {
  return (
    <nav aria-label="path from the start" class="path">
      <ol>
        {about.path.map((link, at) => (
          <li key={link.state}>
            <button type="button" aria-current={at === about.path.length - 1 ? "true" : undefined} onClick={() => go(link.state)}>
              {at === 0 ? "start" : link.label}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Those who act come first. */
function inOrder(actors: number[], players: number): number[] {
  const others = Array.from({ length: players }, (_, player) => player).filter((player) => !actors.includes(player));
  return [...actors, ...others];
}

/** As many actions have columns of their own; more are listed in one column. */
const MAX_COLUMNS = 4;

function InfostateTable({ policy, state, player }: Place & { player: number }) {
  const names = useNames();
  const pot = usePot();
  const { answer, entries, total, error, more } = usePages(
    { ask: "infostates", policy, state, player },
    (found) => found.infostates,
  );
  const frequencies = answer?.frequencies;
  const acting = entries.filter((entry) => entry.actions.length);
  const labels = acting[0]?.actions.map((action) => action.label) ?? [];
  const isSame = acting.every((entry) => entry.actions.map((action) => action.label).join("\n") === labels.join("\n"));
  const columns = isSame && labels.length <= MAX_COLUMNS ? labels : null;
  const acts = labels.length > 0;
  const hasEquity = entries.some((entry) => entry.equity !== null);
  return (
    <div class="player-part">
      <h3>
        <PlayerMark player={player} /> {acts ? "acts" : "may hold"}
      </h3>
      <Failure text={error} />
      {frequencies && (
        <p class="facts">
          {frequencies.map((frequency, at) => (
            <span key={at}>
              <i class={`swatch a${at % 8}`} aria-hidden="true" /> {labels[at]} {percent(frequency)}
            </span>
          ))}
        </p>
      )}
      {answer?.are_hands && <HandGridView policy={policy} state={state} player={player} />}
      <div class="scroll" role="region" tabIndex={0} aria-label={`infostates of ${names[player]}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">
                <Term of="infostate" />
              </th>
              <th scope="col" class="n">
                <Term of="range" />
              </th>
              <th scope="col" class="n">
                <Term of="belief" />
              </th>
              <th scope="col" class="n">
                <Term of="value" />
              </th>
              {pot && (
                <th scope="col" class="n">
                  with the pot
                </th>
              )}
              {hasEquity && (
                <th scope="col" class="n">
                  <Term of="equity" />
                </th>
              )}
              {acts && (
                <th scope="col" class={columns ? "drawn" : ""}>
                  <Term of="policy" />
                </th>
              )}
              {acts &&
                columns?.map((label, at) => (
                  <th scope="col" class="n" key={label}>
                    <i class={`swatch a${at % 8}`} aria-hidden="true" /> {label}
                  </th>
                ))}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.infostate} class={entry.own_reach > 0 ? "" : "never"}>
                <th scope="row">{entry.label}</th>
                <Share of={entry.own_reach}>{number(entry.own_reach)}</Share>
                <Share of={entry.probability}>{entry.probability === null ? "none" : percent(entry.probability)}</Share>
                <td class="n">{number(entry.value)}</td>
                {pot && <td class="n">{number(entry.value === null ? null : entry.value + pot.contributions[player]!)}</td>}
                {hasEquity && <td class="n">{entry.equity === null ? "–" : percent(entry.equity)}</td>}
                {acts && <td class={columns ? "drawn" : ""}>{columns ? <ActionBar actions={entry.actions} /> : <Actions entry={entry} />}</td>}
                {acts && columns?.map((_, at) => <ActionCell key={at} action={entry.actions[at]} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {acts && columns && (
        <p class="quiet">
          Below each probability: the <Term of="value" /> of the action, and in parentheses its <Term of="regret" />,
          weighted by <Term of="counterfactual reach" />.
        </p>
      )}
      <More shown={entries.length} total={total} of="infostates" more={more} />
    </div>
  );
}

function ActionCell({ action }: { action: Action | undefined }) {
  if (!action) return <td class="n">–</td>;
  return (
    <td class="n">
      <b>{percent(action.probability)}</b>
      <span class="quiet below">
        {action.value === null ? "unknown" : `${number(action.value)} (${number(action.regret)})`}
      </span>
    </td>
  );
}

/** The actions at an infostate in one cell: probability, value, and regret weighted by reach. */
function Actions({ entry }: { entry: Infostate }) {
  if (!entry.actions.length) return <>–</>;
  return (
    <div class="actions">
      <ActionBar actions={entry.actions} />
      {entry.actions.map((action, at) => (
        <span class="action" key={at}>
          <i class={`swatch a${at % 8}`} aria-hidden="true" /> <b>{action.label}</b> {percent(action.probability)}
          <span class="quiet">
            {" "}
            value {number(action.value)}, regret {number(action.regret, 4)}
          </span>
        </span>
      ))}
    </div>
  );
}

function HandGridView({ policy, state, player }: Place & { player: number }) {
  const { answer, error } = useAnswer({ ask: "hands", policy, state, player });
  return answer ? <HandSquare grid={answer} /> : <Failure text={error} />;
}

/** Hands of two cards as a square: the longer the bar, the more probable; actions are its parts. */
export function HandSquare({ grid }: { grid: HandGrid }) {
  const names = useNames();
  const cells = grid.cells.flat();
  const largest = Math.max(...cells.map((cell) => (cell.num_hands ? (cell.probability ?? 0) / cell.num_hands : 0)));
  return (
    <div class="scroll" role="region" tabIndex={0} aria-label={`hands of ${names[grid.player]}`}>
      <table class="hands">
        <caption>pairs on the diagonal, one suit above it; the length of a bar is the probability of the hand</caption>
        <tbody>
          {grid.cells.map((row, at) => (
            <tr key={at}>
              {row.map((cell) => (
                <td key={cell.label} class={cell.num_hands && cell.probability !== 0 ? "" : "never"} title={handText(cell, grid.action_labels)}>
                  <span>{cell.label}</span>
                  {cell.num_hands > 0 && (
                    <span class="weight" style={{ "--share": largest ? (cell.probability ?? 0) / cell.num_hands / largest : 0 }}>
                      {cell.actions.length > 0 ? (
                        <ActionBar actions={cell.actions.map((probability, place) => ({ label: grid.action_labels[place]!, probability }))} />
                      ) : (
                        <span class="bar" />
                      )}
                    </span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function handText(cell: HandCell, labels: string[]): string {
  if (!cell.num_hands) return `${cell.label}: impossible here`;
  const parts = [`${cell.num_hands} ${cell.num_hands === 1 ? "hand" : "hands"}`, `range ${number(cell.own_reach)}`];
  if (cell.probability !== null) parts.push(`belief ${percent(cell.probability)}`);
  return `${cell.label}: ${[...parts, ...cell.actions.map((probability, at) => `${labels[at]} ${percent(probability)}`)].join(", ")}`;
}

function BeliefTable({ policy, state, players }: Place & { players: number }) {
  const names = useNames();
  const [pair, setPair] = useState<[number, number]>([0, 1]);
  const [row, column] = pair;
  const { answer, error } = useAnswer({ ask: "beliefs", policy, state, row, column });
  const pairs: [number, number][] = [];
  for (let a = 0; a < players; a++) for (let b = a + 1; b < players; b++) pairs.push([a, b]);
  const largest = Math.max(...(answer?.probability?.flat() ?? [0]));
  return (
    <div class="player-part">
      <h3>
        <Term of="belief">Belief</Term> of an onlooker
      </h3>
      {pairs.length > 1 && (
        <label>
          players{" "}
          <select value={pair.join()} onChange={(event) => setPair(event.currentTarget.value.split(",").map(Number) as [number, number])}>
            {pairs.map((entry) => (
              <option key={entry.join()} value={entry.join()}>
                {entry.map((player) => names[player]).join(" and ")}
              </option>
            ))}
          </select>
        </label>
      )}
      <Failure text={error} />
      {answer?.grouped && <p class="quiet">{answer.grouped}; neighbors are merged.</p>}
      {answer?.probability && (
        <p class="quiet">
          rows: <PlayerMark player={row} />, columns: <PlayerMark player={column} />; percent
        </p>
      )}
      {answer?.probability && (
        <div class="scroll" role="region" tabIndex={0} aria-label="belief matrix">
          <table class="matrix">
            <thead>
              <tr>
                <td />
                {answer.columns.map((label) => (
                  <th scope="col" key={label}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {answer.rows.map((label, at) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {answer.probability![at]!.map((value, place) => (
                    <td key={place} style={{ "--heat": largest ? value / largest : 0 }} class={value / largest > 0.55 ? "hot" : ""}>
                      {value ? (100 * value).toFixed(1) : "·"}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function HistoryTable({ policy, state, total }: Place & { total: number }) {
  const [shown, show] = useState(false);
  return (
    <details class="player-part" open={shown} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>
        {count(total)} {total === 1 ? "history" : "histories"}
      </summary>
      {shown && <HistoryRows policy={policy} state={state} />}
    </details>
  );
}

function HistoryRows({ policy, state }: Place) {
  const { entries, total, error, more } = usePages(
    { ask: "histories", policy, state },
    (answer) => answer.histories,
  );
  return (
    <>
      <Failure text={error} />
      <div class="scroll" role="region" tabIndex={0} aria-label="histories">
        <table>
          <thead>
            <tr>
              <th scope="col">moves</th>
              <th scope="col" class="n">
                probability
              </th>
              <th scope="col" class="n">
                values
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.history}>
                <th scope="row">{entry.moves.join(" / ") || "start"}</th>
                <td class="n">{entry.probability === null ? "none" : percent(entry.probability)}</td>
                <td class="n">{entry.values.map((value) => number(value, 2)).join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More shown={entries.length} total={total} of="histories" more={more} />
    </>
  );
}
