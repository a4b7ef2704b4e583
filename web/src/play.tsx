// Play a policy or searcher, and look at the decisions afterwards.

import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { ActionBar, Channel, Failure, PlayerMark, Swatch, Term, count, inOrder, lineText, number, percent, useAnswer, useStyle } from "./parts";
import { PolicySelect } from "./compare";
import type { Decision, Game, NumberedPlay, Thought } from "./types";

export function PlayView({ about }: { about: Game }) {
  const channel = useContext(Channel)!;
  const [opponent, setOpponent] = useState(0);
  const [player, setPlayer] = useState(0);
  const [play, setPlay] = useState<NumberedPlay | null>(null);
  const [waits, setWaits] = useState(false);
  const [error, setError] = useState("");
  const [hands, setHands] = useState<Hand[]>([]);
  const [alternates, setAlternates] = useState(true);
  const section = useRef<HTMLElement>(null);

  useEffect(() => {
    // The pressed button may be gone, and keys are heard only where the focus is.
    if (play && !section.current!.contains(document.activeElement)) section.current!.focus();
  }, [play]);

  const known = about.kind === "tree" || about.kind === "public";
  const over = async (view: NumberedPlay, { against, isAgain }: Kind): Promise<void> => {
    const review = known ? await channel.ask({ ask: "review", play: view.play, policy: strongest(about) }) : null;
    const losses = review?.decisions.map((decision) => decision.loss) ?? [null];
    const loss = losses.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);
    setHands((before) => [...before, { view, against, isAgain, loss, worst: review?.decisions[0] ?? null }]);
    if (alternates && !isAgain) setPlayer((view.human + 1) % about.num_players);
  };
  const [kind, setKind] = useState<Kind>({ against: "", isAgain: false });
  const asked = async (answer: Promise<NumberedPlay>, of: Kind): Promise<void> => {
    setWaits(true);
    try {
      const found = await answer;
      setPlay(found);
      setKind(of);
      setError("");
      if (found.is_over) await over(found, of);
    } catch (failure) {
      setError((failure as Error).message);
    }
    setWaits(false);
  };
  const begin = (): void => {
    if (waits) return;
    void asked(channel.ask({ ask: "play", opponent, player, seed: drawnSeed() }), { against: about.opponents[opponent]!, isAgain: false });
  };
  const act = (action: number): void => {
    if (!waits && play) void asked(channel.ask({ ask: "act", play: play.play, action }), kind);
  };
  const again = (step: number): void => {
    if (!waits && play) void asked(channel.ask({ ask: "again", play: play.play, step, seed: drawnSeed() }), { ...kind, isAgain: true });
  };
  const look = (hand: Hand): void => {
    setPlay(hand.view);
    setKind(hand);
  };
  const style = useStyle();
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || !/^[0-9a-z]$/.test(event.key)) return;
    event.stopPropagation(); // a notebook has commands on these keys
    const chosen = play?.actions.findIndex((action) => style(action).key === event.key) ?? -1;
    if (chosen < 0 || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    act(chosen);
  };
  return (
    <section aria-label="play" onKeyDown={onKey} ref={section} tabIndex={-1}>
      <p class="choices">
        <label>
          against{" "}
          <select value={opponent} onChange={(event) => setOpponent(Number(event.currentTarget.value))}>
            {about.opponents.map((name, at) => (
              <option key={at} value={at}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          you are{" "}
          <select value={player} onChange={(event) => setPlayer(Number(event.currentTarget.value))}>
            {about.player_names.map((name, at) => (
              <option key={at} value={at}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={begin} aria-disabled={waits}>
          {play ? "new play" : "begin"}
        </button>
        <label class="quiet switch">
          <input type="checkbox" checked={alternates} onChange={(event) => setAlternates(event.currentTarget.checked)} /> alternate
          positions
        </label>
      </p>
      <Failure text={error} />
      {play && (
        <div class="table" aria-live="polite" aria-busy={waits}>
          {play.board && <pre class="board">{play.board}</pre>}
          <ol class="lines">
            {play.lines.map((line, at) => (
              <li key={at}>{lineText(line)}</li>
            ))}
          </ol>
          {play.is_over ? (
            <p class="result">
              The play is over: your <Term of="utility" /> is <b>{number(play.utility, 2)}</b>.
            </p>
          ) : (
            <p class="choices" role="group" aria-label="your actions">
              {inOrder(play.actions, (action) => action, style).map((action) => (
                <button type="button" class="act" key={action} aria-disabled={waits} onClick={() => act(play.actions.indexOf(action))}>
                  <Swatch of={action} /> {action} {style(action).key !== action && <kbd>{style(action).key}</kbd>}
                </button>
              ))}
              {waits && <span class="quiet">thinking…</span>}
            </p>
          )}
        </div>
      )}
      {play?.is_over && <ReviewView key={play.play} about={about} play={play} again={again} />}
      {hands.length > 0 && <Session hands={hands} known={known} isFree={!play || play.is_over} look={look} />}
    </section>
  );
}

const drawnSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! % 2 ** 31;

interface Kind {
  against: string;
  /** Whether it continues from a decision of an earlier play, with cards that are known. */
  isAgain: boolean;
}

/** A play of this session that is over. */
interface Hand extends Kind {
  view: NumberedPlay;
  /** What the decisions cost against the strongest policy; null if unknown. */
  loss: number | null;
  worst: Decision | null;
}

/** A mean with its standard error, which needs two numbers. */
function meanText(numbers: number[], digits: number): string {
  const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  if (numbers.length < 2) return number(mean, digits);
  const squares = numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return `${number(mean, digits)} ± ${number(Math.sqrt(squares / (numbers.length - 1) / numbers.length), digits)}`;
}

/** The plays of the session: luck decides results, and much less the losses. */
function Session({ hands, known, isFree, look }: { hands: Hand[]; known: boolean; isFree: boolean; look: (hand: Hand) => void }) {
  const counted = hands.filter((hand) => !hand.isAgain);
  const losses = counted.flatMap((hand) => (hand.loss === null ? [] : [hand.loss]));
  return (
    <section class="card" aria-label="session">
      <h3>
        {counted.length} {counted.length === 1 ? "play" : "plays"}
      </h3>
      {counted.length > 0 && (
        <p class="facts">
          <span>
            <Term of="utility" /> per play {meanText(counted.map((hand) => hand.view.utility ?? 0), 2)}
          </span>
          {losses.length > 0 && (
            <span>
              <Term of="loss of a decision">loss</Term> per play {meanText(losses, 3)}
            </span>
          )}
        </p>
      )}
      <div class="scroll" role="region" tabIndex={0} aria-label="plays">
        <table>
          <thead>
            <tr>
              <th scope="col">play</th>
              <th scope="col">you were</th>
              <th scope="col">against</th>
              <th scope="col" class="n">
                utility
              </th>
              {known && (
                <th scope="col" class="n">
                  loss
                </th>
              )}
              {known && <th scope="col">worst decision</th>}
            </tr>
          </thead>
          <tbody>
            {hands.map((hand, at) => {
              const { view, against, isAgain, loss, worst } = hand;
              return (
              <tr key={view.play}>
                <th scope="row">
                  <button type="button" class="link" disabled={!isFree} onClick={() => look(hand)}>
                    {at + 1}
                    {isAgain && " (again)"}
                  </button>
                </th>
                <td>
                  <PlayerMark player={view.human} />
                </td>
                <td>{against}</td>
                <td class="n">{number(view.utility, 2)}</td>
                {known && <td class="n">{number(loss)}</td>}
                {known && (
                  <td>
                    {worst && (worst.loss === null || worst.loss >= 0.0005) ? (
                      <>
                        {worst.action} at <code>{worst.infostate}</code>
                      </>
                    ) : (
                      "none"
                    )}
                  </td>
                )}
              </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The policy with the smallest NashConv. */
function strongest(about: Game): number {
  const errors = about.policies.map((policy) => policy.nash_conv);
  return Math.max(0, errors.indexOf(Math.min(...errors)));
}

interface ReviewProperties {
  about: Game;
  play: NumberedPlay;
  again: (step: number) => void;
}

function ReviewView({ about, play, again }: ReviewProperties) {
  const known = about.kind === "tree" || about.kind === "public";
  const [policy, setPolicy] = useState(strongest(about));
  const [isAsked, setAsked] = useState(false);
  const question = { ask: "review" as const, play: play.play, ...(known ? { policy } : {}) };
  const { answer: review, error } = useAnswer(isAsked ? question : null);
  if (!review) {
    return (
      <p class="choices">
        {known && <PolicySelect about={about} label="compare your decisions with" value={policy} choose={setPolicy} />}
        <button type="button" onClick={() => setAsked(true)}>
          look at the play
        </button>
        <Failure text={error} />
      </p>
    );
  }
  return (
    <section class="review" aria-label="review of the play">
      <div>
        {known ? (
          <>
            <h3>
              Your decisions, the most costly first <Term of="loss of a decision">(loss)</Term>
            </h3>
            <p class="choices">
              <PolicySelect about={about} label="compared with" value={policy} choose={setPolicy} />
            </p>
            <ol class="decisions">
              {review.decisions.map((decision) => (
                <DecisionEntry key={`${policy}.${decision.step}`} decision={decision} again={() => again(decision.step)} />
              ))}
            </ol>
          </>
        ) : (
          <p role="note">
            Losses are unknown: this game is shown neither as a tree nor as a public form. Beliefs are computed by the rules.
          </p>
        )}
        <h3>The whole play</h3>
        <ol class="lines">
          {review.lines.map((line, at) => (
            <li key={at}>{lineText(line)}</li>
          ))}
        </ol>
      </div>
      <div>
        <h3>What the others believed and did</h3>
        {review.thoughts.map((thought, at) => (
          <ThoughtEntry key={at} thought={thought} at={at} play={play} />
        ))}
        {!review.thoughts.length && <p class="quiet">They had no decision.</p>}
      </div>
    </section>
  );
}

function DecisionEntry({ decision, again }: { decision: Decision; again: () => void }) {
  const [shown, show] = useState(false);
  const style = useStyle();
  const lost = decision.loss === null ? "loss unknown" : decision.loss < 0.0005 ? "no loss" : `lost ${number(decision.loss)}`;
  return (
    <li>
      <b>{lost}</b>: you chose <b>{decision.action}</b> at <code>{decision.infostate}</code>{" "}
      <button type="button" class="link" aria-expanded={shown} onClick={() => show(!shown)}>
        {shown ? "hide the values" : decision.loss === null || decision.loss < 0.0005 ? "show the values" : "show what was better"}
      </button>{" "}
      <button type="button" class="link" onClick={again}>
        play again from here
      </button>
      {shown && (
        <table>
          <thead>
            <tr>
              <th scope="col">action</th>
              <th scope="col" class="n">
                policy
              </th>
              <th scope="col" class="n">
                value
              </th>
            </tr>
          </thead>
          <tbody>
            {inOrder(decision.actions, (action) => action, style).map((action) => (
              <tr key={action}>
                <th scope="row">
                  <Swatch of={action} /> {action}
                </th>
                <td class="n">{percent(decision.probabilities[decision.actions.indexOf(action)]!)}</td>
                <td class="n">{number(decision.values[decision.actions.indexOf(action)])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </li>
  );
}

/** Some decisions are open from the beginning; the belief of each is asked for when it is opened. */
const NUM_OPEN = 3;

function ThoughtEntry({ thought, at: position, play }: { thought: Thought; at: number; play: NumberedPlay }) {
  const [shown, show] = useState(position < NUM_OPEN);
  const style = useStyle();
  const actions = thought.actions.map((label, at) => ({
    label,
    probability: thought.probabilities[at]!,
    value: thought.values?.[at] ?? null,
  }));
  const search = [
    thought.num_worlds !== null ? `${thought.num_worlds} worlds or iterations` : "",
    thought.seconds !== null ? `${(1000 * thought.seconds).toFixed(1)} ms` : "",
  ].filter(Boolean);
  return (
    <details class="player-part" open={shown} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>
        <PlayerMark player={thought.player} /> chose {thought.action} at <code>{thought.infostate}</code>
      </summary>
      <p class="drawn-actions">
        <ActionBar actions={actions} />
      </p>
      <ul class="moving inline">
        {inOrder(actions, (action) => action.label, style).map(({ label, probability, value }) => (
          <li key={label}>
            <Swatch of={label} /> {label} {percent(probability)}
            {thought.values && <span class="quiet"> value {number(value)}</span>}
          </li>
        ))}
      </ul>
      {search.length > 0 && <p class="quiet">search: {search.join(", ")}</p>}
      {shown && <BeliefOfOther play={play.play} thought={position} human={play.human} />}
    </details>
  );
}

/** What the human may have held, as another player saw it; in large games it takes seconds. */
function BeliefOfOther({ play, thought, human }: { play: number; thought: number; human: number }) {
  const { answer, error } = useAnswer({ ask: "opponent_belief", play, thought });
  if (error) return <Failure text={error} />;
  if (!answer) return <p class="quiet">computing its belief…</p>;
  if (answer.error) return <p class="quiet">no belief: {answer.error}</p>;
  return (
    <>
      <p class="quiet">
        what <PlayerMark player={human} /> may have held, as it saw it
        {answer.num_drawn !== null && <>, estimated from {count(answer.num_drawn)} histories that were drawn</>}:
      </p>
      <ul class="belief">
        {answer.entries.map((entry) => (
          <li key={entry.label} class={entry.is_true ? "true" : ""} style={{ "--share": entry.probability }}>
            {entry.label} {percent(entry.probability)}
            {entry.is_true && " (the truth)"}
          </li>
        ))}
        {answer.rest > 0 && <li style={{ "--share": 0 }}>others {percent(answer.rest)}</li>}
      </ul>
    </>
  );
}
