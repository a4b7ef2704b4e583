// An extensive form without public states: a history, and the infostates of each player.

import { ActionBar, Failure, More, PlayerMark, Term, inOrder, number, percent, useAnswer, usePages, useStyle } from "./parts";

export function FormView(properties: { policy: number; history: number; players: number; go: (history: number) => void }) {
  const { policy, history, players, go } = properties;
  const { answer, error } = useAnswer({ ask: "form_history", policy, history });
  const here = answer?.histories[answer.histories.length - 1];
  return (
    <section class="state" aria-label="history">
      <Failure text={error} />
      {answer && here && (
        <>
          <nav aria-label="path from the start" class="path">
            <ol>
              {answer.histories.map((entry, at) => (
                <li key={entry.history}>
                  <button type="button" aria-current={entry === here ? "true" : undefined} onClick={() => go(entry.history)}>
                    {at === 0 ? "start" : entry.label}
                  </button>
                </li>
              ))}
            </ol>
          </nav>
          <p class="facts">
            <span>
              {here.is_end ? "the end" : here.is_chance ? "chance moves" : here.actor !== null && <PlayerMark player={here.actor} />}
              {here.infoset && <> at {here.infoset}</>}
            </span>
            <span>
              <Term of="reach" /> {percent(here.reach)}
            </span>
            {here.values.map((value, player) => (
              <span key={player}>
                <PlayerMark player={player} /> <Term of="value">value</Term> {number(value)}
              </span>
            ))}
          </p>
        </>
      )}
      {Array.from({ length: players }, (_, player) => (
        <Infostates key={player} policy={policy} player={player} />
      ))}
    </section>
  );
}

function Infostates({ policy, player }: { policy: number; player: number }) {
  const { entries, total, error, more } = usePages(
    { ask: "form_infostates", policy, player },
    (answer) => answer.infostates,
  );
  const style = useStyle();
  const depths = new Map<number, number>();
  for (const entry of entries) depths.set(entry.infostate, (depths.get(entry.parent) ?? -1) + 1);
  return (
    <div class="player-part">
      <h3>
        <PlayerMark player={player} /> <Term of="infostate">infostates</Term>
      </h3>
      <Failure text={error} />
      <ul class="moving">
        {entries.map((entry) => (
          <li key={entry.infostate} style={{ marginLeft: `${1.2 * depths.get(entry.infostate)!}rem` }} class={entry.own_reach > 0 ? "" : "never"}>
            <span class="hand">
              {entry.action && `${entry.action} → `}
              {entry.label}
            </span>{" "}
            <ActionBar actions={entry.actions} />{" "}
            <span class="quiet">
              {inOrder(entry.actions, (action) => action.label, style)
                .map((action) => `${action.label} ${percent(action.probability)} (value ${number(action.value)})`)
                .join(", ")}
            </span>
          </li>
        ))}
      </ul>
      <More shown={entries.length} total={total} of="infostates" more={more} />
    </div>
  );
}
