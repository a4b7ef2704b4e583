// Two policies side by side: where they differ most.

import { useState } from "preact/hooks";
import { Failure, More, PlayerMark, PolicyCell, StateLink, Term, error as errorText, number, percent, useAnswer, usePages } from "./parts";
import type { Game } from "./types";

export function PolicySelect(properties: {
  about: Game;
  label: string;
  value: number;
  choose: (policy: number) => void;
}) {
  const { about, label, value, choose } = properties;
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {about.policies.map((policy, at) => (
          <option key={at} value={at}>
            {policy.name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function CompareView({ about, go }: { about: Game; go: (policy: number, state: number) => void }) {
  const [first, setFirst] = useState(0);
  const [second, setSecond] = useState(1);
  if (about.policies.length < 2) {
    return (
      <p role="note">
        There is one policy. Give another one with <code>--policy</code>
        {about.methods.length > 0 && ", or watch a method: its policy is added here"}.
      </p>
    );
  }
  return (
    <section aria-label="two policies">
      <p class="choices">
        <PolicySelect about={about} label="first" value={first} choose={setFirst} />
        <PolicySelect about={about} label="second" value={second} choose={setSecond} />
      </p>
      <div class="parts">
        <Measures about={about} policies={[first, second]} />
        {first !== second && <MatchTable about={about} first={first} second={second} />}
      </div>
      {first === second ? (
        <p role="note">Choose two different policies.</p>
      ) : (
        <Rows
          first={first}
          second={second}
          names={[about.policies[first]!.name, about.policies[second]!.name]}
          go={(state) => go(first, state)}
        />
      )}
    </section>
  );
}

/** Values and NashConv of each policy if everybody follows it. */
function Measures({ about, policies }: { about: Game; policies: number[] }) {
  return (
    <div class="player-part card">
      <h3>Everybody follows the same policy</h3>
      <div class="scroll" role="region" tabIndex={0} aria-label="measures of the policies">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <Term of="policy" />
              </th>
              {about.policies[0]!.values.map((_, player) => (
                <th scope="col" class="n" key={player}>
                  <PlayerMark player={player} />
                </th>
              ))}
              <th scope="col" class="n">
                <Term of="NashConv" />
              </th>
            </tr>
          </thead>
          <tbody>
            {policies.map((at, place) => (
              <tr key={place}>
                <th scope="row">{about.policies[at]!.name}</th>
                {about.policies[at]!.values.map((value, player) => (
                  <td class="n" key={player}>
                    {number(value, 4)}
                  </td>
                ))}
                <td class="n">{errorText(about.policies[at]!.nash_conv)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** What the first policy earns against the second in each position, exactly. */
function MatchTable({ about, first, second }: { about: Game; first: number; second: number }) {
  const { answer, error } = useAnswer({ ask: "match", first, second });
  if (!answer) return <Failure text={error} />;
  const [name, other] = [about.policies[first]!.name, about.policies[second]!.name];
  return (
    <div class="player-part card">
      <h3>Exact match</h3>
      <div class="scroll" role="region" tabIndex={0} aria-label="exact match">
        <table>
          <thead>
            <tr>
              <th scope="col">position of {name}</th>
              <th scope="col">all others</th>
              <th scope="col" class="n">
                <Term of="utility" /> of {name}
              </th>
            </tr>
          </thead>
          <tbody>
            {answer.positions.map((position) => (
              <tr key={position.player}>
                <td>
                  <PlayerMark player={position.player} />
                </td>
                <td>{other}</td>
                <td class="n">{number(position.values[position.player], 4)}</td>
              </tr>
            ))}
            <tr>
              <td colSpan={2}>mean over the positions</td>
              <td class="n">
                <b>{number(answer.mean, 4)}</b>
              </td>
            </tr>
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Rows(properties: { first: number; second: number; names: [string, string]; go: (state: number) => void }) {
  const { first, second, names, go } = properties;
  const { entries, total, error, more } = usePages(
    { ask: "differences", first, second },
    (answer) => answer.differences,
  );
  return (
    <div class="card">
      <Failure text={error} />
      <h3>Where they differ</h3>
      <p class="quiet">
        {total} infostates; sorted by what {names[0]} gains or loses there against {names[1]}, and then by{" "}
        <Term of="reach" /> × <Term of="total variation distance" />.
      </p>
      <div class="scroll" role="region" tabIndex={0} aria-label="differences">
        <table>
          <thead>
            <tr>
              <th scope="col">infostate</th>
              <th scope="col">{names[0]}</th>
              <th scope="col">{names[1]}</th>
              <th scope="col" class="n">
                gain
              </th>
              <th scope="col" class="n">
                reach
              </th>
              <th scope="col" class="n">
                distance
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={`${entry.player}.${entry.state}.${entry.infostate}`}>
                <th scope="row">
                  <StateLink of={entry} go={go} />
                </th>
                {entry.probabilities.map((probabilities, at) => (
                  <td key={at}>
                    <PolicyCell labels={entry.actions} probabilities={probabilities} />
                  </td>
                ))}
                <td class="n">{entry.gain > 0 ? `+${number(entry.gain, 4)}` : number(entry.gain, 4)}</td>
                <td class="n">{percent(entry.reach)}</td>
                <td class="n">{number(entry.distance)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More shown={entries.length} total={total} of="differences" more={more} />
    </div>
  );
}
