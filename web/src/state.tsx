// A public state: the way to it, what the players do and hold there, and what they believe.

import { type Dispatch, type StateUpdater, useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  About,
  ActionBar,
  Channel,
  Failure,
  More,
  PlayerMark,
  Swatch,
  Term,
  count,
  error as errorText,
  inOrder,
  useIsListed,
  number,
  percent,
  useAnswer,
  useNames,
  usePages,
  usePot,
  useStyle,
  valueText,
} from "./parts";
import type { Action, Children, HandCell, HandGrid, Infostate, Mend, State, StateLink } from "./types";

interface Place {
  policy: number;
  state: number;
}

/** What a click has chosen: an infostate of a player who acts. */
interface Chosen {
  state: number;
  player: number;
  entry: Infostate;
}

interface StateProperties extends Place {
  players: number;
  go: (state: number) => void;
  setPolicy: (policy: number) => void;
  refresh: () => void;
}

export function StateView({ policy, state, players, go, setPolicy, refresh }: StateProperties) {
  const { answer, error } = useAnswer({ ask: "state", policy, state });
  const pot = usePot();
  const [last, choose] = useState<Chosen | null>(null);
  const chosen = last?.state === state ? last : null;
  if (error) {
    return (
      <>
        <Failure text={error} />
        <button type="button" onClick={() => go(0)}>
          go to the start
        </button>
      </>
    );
  }
  if (!answer) return <p class="quiet">…</p>;
  const others = Array.from({ length: players }, (_, player) => player).filter((player) => !answer.actors.includes(player));
  return (
    <section class="state" aria-label="public state">
      <Line about={answer} go={go} />
      <p class="facts">
        <span>reached in {percent(answer.probability)} of plays</span>
        {answer.num_histories > 0 && (
          <span>
            {count(answer.num_histories)} <Term of="history">{answer.num_histories === 1 ? "history" : "histories"}</Term>
          </span>
        )}
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
      <div class={answer.actors.length ? "board-panes" : "parts"}>
        {answer.actors.length > 0 && (
          <div class="main-pane">
            {answer.actors.map((player) => (
              <InfostateTable key={player} policy={policy} state={state} player={player} chosen={chosen} choose={choose} />
            ))}
          </div>
        )}
        <div class={answer.actors.length ? "side-pane" : "parts"}>
          {chosen && <Inspector policy={policy} state={state} players={players} chosen={chosen} />}
          {answer.num_children > 0 && <MendPart policy={policy} state={state} setPolicy={setPolicy} refresh={refresh} />}
          {others.map((player) => (
            <InfostateTable key={player} policy={policy} state={state} player={player} chosen={null} choose={null} />
          ))}
        </div>
      </div>
      <div class="parts">
        {answer.values && players > 1 && <Beliefs policy={policy} state={state} players={players} />}
        {answer.num_histories > 0 && <HistoryTable policy={policy} state={state} total={answer.num_histories} />}
      </div>
    </section>
  );
}

/** The way to a public state as steps, each with the other choices; the last one has what may follow. */
function Line({ about, go }: { about: State; go: (state: number) => void }) {
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (place.current) place.current.scrollLeft = place.current.scrollWidth;
  }, [about.state]);
  const isStart = about.path.length === 1;
  return (
    <nav aria-label="path from the start" class="line-of-play scroll" ref={place}>
      <ol>
        <li class="step">
          <button type="button" class="choice taken" aria-current={isStart ? "true" : undefined} onClick={() => go(about.path[0]!.state)}>
            start
          </button>
        </li>
        {about.choices.map(
          (step, at) =>
            step.total > 0 && (
              <Step key={step.state} step={step} at={about.path[at]!} taken={about.path[at + 1]?.state} isLast={at >= about.path.length - 2} go={go} />
            ),
        )}
      </ol>
    </nav>
  );
}

interface StepProperties {
  step: Children;
  at: StateLink;
  taken: number | undefined;
  isLast: boolean;
  go: (state: number) => void;
}

function Step({ step, at, taken, isLast, go }: StepProperties) {
  const rest = step.total - step.children.length;
  const isListed = useIsListed();
  return (
    <li class={`step ${taken === undefined ? "open" : ""}`}>
      <small class="who">{at.actors.length ? at.actors.map((player) => <PlayerMark key={player} player={player} />) : "chance"}</small>
      {step.children.map((child) => (
        <span key={child.state} class="option">
          <button
            type="button"
            class={child.state === taken ? "choice taken" : "choice"}
            aria-current={child.state === taken && isLast ? "true" : undefined}
            title={child.label}
            onClick={() => go(child.state)}
          >
            {at.actors.length === 1 && isListed(child.label) && <Swatch of={child.label} />} {child.label}
          </button>{" "}
          <span class="quiet">{percent(child.probability)}</span>
        </span>
      ))}
      {rest > 0 && <span class="quiet">{count(rest)} more in the tree</span>}
    </li>
  );
}

/** As many actions have a column each; more share one. */
const MAX_COLUMNS = 3;

interface TableProperties extends Place {
  player: number;
  chosen: Chosen | null;
  choose: Dispatch<StateUpdater<Chosen | null>> | null;
}

function InfostateTable({ policy, state, player, chosen, choose }: TableProperties) {
  const names = useNames();
  const style = useStyle();
  const { answer, entries, total, error, more } = usePages(
    { ask: "infostates", policy, state, player },
    (found) => found.infostates,
  );
  const [values, showValues] = useState(false);
  const [hand, chooseHand] = useState("");
  const acting = entries.filter((entry) => entry.actions.length);
  const labels = acting[0]?.actions.map((action) => action.label) ?? [];
  const isSame = acting.every((entry) => entry.actions.map((action) => action.label).join("\n") === labels.join("\n"));
  const columns = isSame && labels.length <= MAX_COLUMNS ? inOrder(labels, (label) => label, style) : null;
  const acts = labels.length > 0;
  // Of hands, the class is listed that a click has chosen, and first the most probable one.
  const shownHand = entries.some((entry) => entry.hand === hand) ? hand : likeliest(entries);
  const rows = answer?.are_hands ? entries.filter((entry) => entry.hand === shownHand) : entries;
  useEffect(() => {
    if (!choose || answer?.state !== state) return;
    choose((before) => {
      const isHere = before?.state === state;
      const same = isHere && before.player === player && entries.find((entry) => entry.infostate === before.entry.infostate);
      const entry = same || rows.find((row) => row.actions.length);
      return (isHere && before.player !== player) || !entry ? before : { state, player, entry };
    });
  }, [answer]);
  const pick = (label: string): void => {
    const entry = entries.find((one) => one.hand === label && one.actions.length);
    chooseHand(label);
    if (entry) choose?.({ state, player, entry });
  };
  const isActing = acts && choose !== null;
  // Before the answer is there, the rows are those of another place.
  const isHere = answer?.state === state;
  const hasEquity = rows.some((entry) => entry.equity !== null);
  return (
    <div class="player-part card">
      <h3>
        <PlayerMark player={player} /> {acts ? "acts" : "may hold"}
      </h3>
      <Failure text={error} />
      {answer?.frequencies && isSame && (
        <Frequencies actions={labels.map((label, at) => ({ label, probability: answer.frequencies![at]! }))} />
      )}
      {answer?.are_hands && <HandGridView policy={policy} state={state} player={player} chosen={shownHand} choose={pick} />}
      {isActing && (
        <label class="quiet switch">
          <input type="checkbox" checked={values} onChange={(event) => showValues(event.currentTarget.checked)} /> values of actions
        </label>
      )}
      <div class="scroll" role="region" tabIndex={0} aria-label={`infostates of ${names[player]}`}>
        <table>
          <InfostateHead columns={columns} acts={acts} hasEquity={hasEquity} />
          <tbody>
            {rows.map((entry) => (
              <InfostateRow
                key={entry.infostate}
                entry={entry}
                player={player}
                columns={columns}
                acts={acts}
                values={values}
                hasEquity={hasEquity}
                isChosen={chosen?.player === player && chosen.entry.infostate === entry.infostate}
                choose={choose && isHere && entry.actions.length ? () => choose({ state, player, entry }) : null}
              />
            ))}
          </tbody>
        </table>
      </div>
      {isActing && columns && values && (
        <p class="quiet">
          Below each probability: the <Term of="value" /> of the action, and in parentheses its <Term of="regret" />,
          weighted by <Term of="counterfactual reach" />.
        </p>
      )}
      <More shown={entries.length} total={total} of="infostates" more={more} />
    </div>
  );
}

/** The class of hands that is held most often. */
function likeliest(entries: Infostate[]): string {
  const sums = new Map<string, number>();
  for (const entry of entries) sums.set(entry.hand, (sums.get(entry.hand) ?? 0) + (entry.probability ?? entry.own_reach));
  return [...sums].reduce((best, one) => (one[1] > best[1] * 1.000001 ? one : best), ["", -1] as [string, number])[0];
}

/** How often each action is played over all that the player may hold: a wide bar, and exact numbers. */
function Frequencies({ actions }: { actions: { label: string; probability: number }[] }) {
  const style = useStyle();
  return (
    <>
      <ActionBar actions={actions} letters={100} />
      <p class="facts">
        {inOrder(actions, (action) => action.label, style).map(({ label, probability }) => (
          <span key={label}>
            <Swatch of={label} /> {label} {percent(probability)}
          </span>
        ))}
      </p>
    </>
  );
}

function InfostateHead({ columns, acts, hasEquity }: { columns: string[] | null; acts: boolean; hasEquity: boolean }) {
  const pot = usePot();
  return (
    <thead>
      <tr>
        <th scope="col">
          <Term of="infostate" />
        </th>
        {acts && (
          <th scope="col">
            <Term of="policy" />
          </th>
        )}
        {acts &&
          columns?.map((label) => (
            <th scope="col" class="n" key={label}>
              <Swatch of={label} /> {label}
            </th>
          ))}
        <th scope="col" class="n">
          <Term of="value" />
        </th>
        {pot && (
          <th scope="col" class="n extra aside">
            with the pot
          </th>
        )}
        {hasEquity && (
          <th scope="col" class="n">
            <Term of="equity" />
          </th>
        )}
        <th scope="col" class="n extra">
          <Term of="belief" />
        </th>
        <th scope="col" class="n extra aside">
          <Term of="range" />
        </th>
      </tr>
    </thead>
  );
}

interface RowProperties {
  entry: Infostate;
  player: number;
  columns: string[] | null;
  acts: boolean;
  values: boolean;
  hasEquity: boolean;
  isChosen: boolean;
  choose: (() => void) | null;
}

function InfostateRow({ entry, player, columns, acts, values, hasEquity, isChosen, choose }: RowProperties) {
  const pot = usePot();
  const found = new Map(entry.actions.map((action) => [action.label, action]));
  return (
    <tr class={`${entry.own_reach > 0 ? "" : "never"} ${isChosen ? "on" : ""}`} onClick={choose ?? undefined}>
      <th scope="row">
        {choose ? (
          <button type="button" class="plain" aria-pressed={isChosen} onClick={choose}>
            {entry.label}
          </button>
        ) : (
          entry.label
        )}
      </th>
      {acts && <td>{columns ? <ActionBar actions={entry.actions} /> : <Actions entry={entry} values={values} />}</td>}
      {acts && columns?.map((label) => <ActionCell key={label} action={found.get(label)} values={values} />)}
      <td class="n">{number(entry.value)}</td>
      {pot && <td class="n extra aside">{number(entry.value === null ? null : entry.value + pot.contributions[player]!)}</td>}
      {hasEquity && <td class="n">{entry.equity === null ? "–" : percent(entry.equity)}</td>}
      <td class="n share extra" style={{ "--share": Math.min(1, entry.probability ?? 0) }}>
        {entry.probability === null ? "none" : percent(entry.probability)}
      </td>
      <td class="n share extra aside" style={{ "--share": Math.min(1, entry.own_reach) }}>
        {number(entry.own_reach)}
      </td>
    </tr>
  );
}

function ActionCell({ action, values }: { action: Action | undefined; values: boolean }) {
  if (!action) return <td class="n">–</td>;
  return (
    <td class="n">
      {percent(action.probability)}
      {values && (
        <span class="quiet below">
          {action.value === null ? "unknown" : `${number(action.value)} (${number(action.regret)})`}
        </span>
      )}
    </td>
  );
}

/** The actions at an infostate in one cell: a bar, or probability, value, and regret weighted by reach. */
function Actions({ entry, values }: { entry: Infostate; values: boolean }) {
  const style = useStyle();
  if (!entry.actions.length) return <>–</>;
  if (!values) return <ActionBar actions={entry.actions} letters={60} />;
  return (
    <div class="actions">
      <ActionBar actions={entry.actions} />
      {inOrder(entry.actions, (action) => action.label, style).map((action) => (
        <span class="action" key={action.label}>
          <Swatch of={action.label} /> <b>{action.label}</b> {percent(action.probability)}
          <span class="quiet">
            {" "}
            value {number(action.value)}, regret {number(action.regret, 4)}
          </span>
        </span>
      ))}
    </div>
  );
}

interface MendProperties extends Place {
  setPolicy: (policy: number) => void;
  refresh: () => void;
}

/** Solves what follows again, while all the rest of the policy stays as it is. */
function MendPart({ policy, state, setPolicy, refresh }: MendProperties) {
  const channel = useContext(Channel);
  const pot = usePot();
  const { policies } = useContext(About);
  const [waits, setWaits] = useState(false);
  const [last, setLast] = useState<{ policy: number; answer: Mend | null; error: string; state: number } | null>(null);
  // An answer about another place, or another policy, is not shown.
  const { answer: found = null, error = "" } = last?.state === state && last.policy === policy ? last : {};
  // A saved page has no solver, and elsewhere than in zero-sum games a part guarantees nothing.
  if (!channel?.watch || policies[policy]?.exploitability == null) return null;
  const mend = async (): Promise<void> => {
    if (waits) return;
    setWaits(true);
    try {
      setLast({ policy, state, answer: await channel.ask({ ask: "mend", policy, state }), error: "" });
      refresh();
    } catch (failure) {
      setLast({ policy, state, answer: null, error: (failure as Error).message });
    }
    setWaits(false);
  };
  const added = found?.policy ?? null;
  return (
    <div class="card" aria-live="polite">
      <button type="button" aria-disabled={waits} onClick={() => void mend()}>
        {waits ? "solving…" : "solve again from here on"}
      </button>{" "}
      <span class="quiet">all other decisions stay as they are</span>
      <Failure text={error} />
      {found && (
        <p>
          {found.policy === null ? (
            <>No better policy from here on was found: exploitability stays {errorText(found.before ?? 0, pot)}.</>
          ) : (
            <>
              <Term of="exploitability" /> {errorText(found.before ?? 0, pot)} → <b>{errorText(found.after ?? 0, pot)}</b>{" "}
            </>
          )}
          {added !== null && added < policies.length && added !== policy && (
            <button type="button" class="link" onClick={() => setPolicy(added)}>
              show {found.name}
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** What the player of a chosen infostate does, why, and what it believes. */
function Inspector({ policy, state, players, chosen }: Place & { players: number; chosen: Chosen }) {
  const { player, entry } = chosen;
  const style = useStyle();
  const pot = usePot();
  const others = Array.from({ length: players }, (_, other) => other).filter((other) => other !== player);
  const best = Math.max(...entry.actions.map((action) => action.value ?? -Infinity));
  return (
    <aside class="card" aria-label="chosen infostate">
      <h3>
        <PlayerMark player={player} /> <span class="hand">{entry.label}</span>
      </h3>
      <ActionBar actions={entry.actions} letters={44} />
      <p class="quiet">
        <Term of="belief" /> {entry.probability === null ? "none" : percent(entry.probability)}, <Term of="range" />{" "}
        {number(entry.own_reach)}, <Term of="value" /> {entry.value === null ? "unknown" : valueText(entry.value, player, pot)}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">action</th>
            <th scope="col" class="n">
              played
            </th>
            <th scope="col" class="n">
              <Term of="value" />
            </th>
            <th scope="col" class="n">
              loss
            </th>
          </tr>
        </thead>
        <tbody>
          {inOrder(entry.actions, (action) => action.label, style).map((action) => (
            <tr key={action.label}>
              <th scope="row">
                <Swatch of={action.label} /> {action.label}
              </th>
              <td class="n">{percent(action.probability)}</td>
              <td class="n">{number(action.value)}</td>
              <td class="n">{action.value === null ? "unknown" : number(best - action.value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {others.map((other) => (
        <PlayerBelief key={other} policy={policy} state={state} player={player} infostate={entry.infostate} other={other} />
      ))}
    </aside>
  );
}

function PlayerBelief(properties: Place & { player: number; infostate: number; other: number }) {
  const { answer } = useAnswer({ ask: "player_belief", ...properties });
  if (!answer?.entries.length) return null;
  const most = answer.entries[0]!.probability;
  return (
    <>
      <h4>
        It believes that <PlayerMark player={properties.other} /> holds
      </h4>
      <ul class="held">
        {answer.entries.map((entry) => (
          <li key={entry.label}>
            <span class="hand">{entry.label}</span>
            <span class="level" style={{ "--share": entry.probability / most }} aria-hidden="true" />
            <span class="n">{percent(entry.probability)}</span>
          </li>
        ))}
        {answer.rest > 0.0005 && (
          <li>
            <span class="quiet">others</span>
            <span />
            <span class="n">{percent(answer.rest)}</span>
          </li>
        )}
      </ul>
    </>
  );
}

interface GridProperties extends Place {
  player: number;
  chosen: string;
  choose: (hand: string) => void;
}

function HandGridView({ policy, state, player, chosen, choose }: GridProperties) {
  const { answer, error } = useAnswer({ ask: "hands", policy, state, player });
  return answer ? <HandSquare grid={answer} chosen={chosen} choose={choose} /> : <Failure text={error} />;
}

/** Hands of two cards as a square: the higher the color, the more probable; actions are its parts. */
export function HandSquare({ grid, chosen, choose }: { grid: HandGrid; chosen?: string; choose?: (hand: string) => void }) {
  const names = useNames();
  const cells = grid.cells.flat();
  const largest = Math.max(...cells.map(density));
  return (
    <div class="scroll" role="region" tabIndex={0} aria-label={`hands of ${names[grid.player]}`}>
      <table class="hands">
        <caption>pairs on the diagonal, one suit above it; the height of the color is the probability of the hand</caption>
        <tbody>
          {grid.cells.map((row, at) => (
            <tr key={at}>
              {row.map((cell) => (
                <HandSquareCell
                  key={cell.label}
                  cell={cell}
                  labels={grid.action_labels}
                  level={largest ? density(cell) / largest : 0}
                  isChosen={cell.label === chosen}
                  choose={choose && cell.num_hands > 0 ? () => choose(cell.label) : null}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Probability per hand of a class; of all classes alike where the policy never leads. */
function density(cell: HandCell): number {
  return cell.num_hands ? (cell.probability ?? 1) / cell.num_hands : 0;
}

interface CellProperties {
  cell: HandCell;
  labels: string[];
  level: number;
  isChosen: boolean;
  choose: (() => void) | null;
}

function HandSquareCell({ cell, labels, level, isChosen, choose }: CellProperties) {
  const style = useStyle();
  const actions = cell.actions.map((probability, place) => ({ label: labels[place]!, probability }));
  return (
    <td
      class={`${cell.num_hands && cell.probability !== 0 ? "" : "never"} ${isChosen ? "on" : ""}`}
      title={handText(cell, labels)}
      onClick={choose ?? undefined}
    >
      <span class="weight" style={{ "--level": level }} aria-hidden="true">
        {inOrder(actions, (action) => action.label, style).map(({ label, probability }) => (
          <span key={label} class="part" style={{ flexGrow: probability, "--c": style(label).color }} />
        ))}
      </span>
      {choose ? (
        <button type="button" class="plain" aria-pressed={isChosen} onClick={choose}>
          {cell.label}
        </button>
      ) : (
        <span>{cell.label}</span>
      )}
    </td>
  );
}

function handText(cell: HandCell, labels: string[]): string {
  if (!cell.num_hands) return `${cell.label}: impossible here`;
  const parts = [`${cell.num_hands} ${cell.num_hands === 1 ? "hand" : "hands"}`, `range ${number(cell.own_reach)}`];
  if (cell.probability !== null) parts.push(`belief ${percent(cell.probability)}`);
  return `${cell.label}: ${[...parts, ...cell.actions.map((probability, at) => `${labels[at]} ${percent(probability)}`)].join(", ")}`;
}

/** What an onlooker believes, which is asked for when it is opened. */
function Beliefs(properties: Place & { players: number }) {
  const [shown, show] = useState(false);
  return (
    <details class="player-part" open={shown} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>belief of an onlooker</summary>
      {shown && <BeliefTable {...properties} />}
    </details>
  );
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
    <>
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
    </>
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
