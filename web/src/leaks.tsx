// Leaks of a policy: what decisions contribute to NashConv.

import { PolicySelect } from "./compare";
import { Failure, More, PolicyCell, Share, StateLink, Swatch, Term, count, error as errorText, number, percent, usePages } from "./parts";
import type { Game, Leak } from "./types";

export function LeaksView(properties: {
  about: Game;
  policy: number;
  setPolicy: (policy: number) => void;
  go: (state: number) => void;
}) {
  const { about, policy, setPolicy, go } = properties;
  const { answer, entries, total, error, more } = usePages({ ask: "leaks", policy }, (found) => found.leaks);
  const conv = answer?.nash_conv ?? null;
  const part = entries.reduce((sum, leak) => sum + leak.cost, 0);
  return (
    <section aria-label="leaks">
      <p class="choices">
        <PolicySelect about={about} label="policy" value={policy} choose={setPolicy} />
        {conv !== null && (
          <span class="quiet">
            <Term of="NashConv" /> {errorText(conv)}
            {total > 0 && `; ${count(total)} suboptimal decisions, those shown ${percent(part / conv)} of it`}
          </span>
        )}
      </p>
      <Failure text={error} />
      {conv !== null && total > 0 && <States policy={policy} go={go} />}
      {conv !== null && total === 0 && <p role="note">No decision loses more than the rounding error: the policy is an equilibrium.</p>}
      {conv !== null && entries.length > 0 && (
        <div class="card">
          <h3>Decisions</h3>
          <div class="scroll" role="region" tabIndex={0} aria-label="suboptimal decisions">
            <table>
              <thead>
                <tr>
                  <th scope="col">
                    <Term of="infostate" />
                  </th>
                  <th scope="col" class="n">
                    cost
                  </th>
                  <th scope="col" class="n">
                    share
                  </th>
                  <th scope="col" class="n">
                    loss
                  </th>
                  <th scope="col">best</th>
                  <th scope="col">
                    <Term of="policy" />
                  </th>
                </tr>
              </thead>
              <tbody>
                {entries.map((leak) => (
                  <Row key={`${leak.player}.${leak.state}.${leak.infostate}`} leak={leak} of={conv} go={go} />
                ))}
              </tbody>
            </table>
          </div>
          <p class="quiet">
            A cost is the probability of the <Term of="infostate" /> times the loss there, if play after it is a best response.
            Costs sum to <Term of="NashConv" />.
          </p>
          <More shown={entries.length} total={total} of="decisions" more={more} />
        </div>
      )}
    </section>
  );
}

/** Costs added up by public state. */
function States({ policy, go }: { policy: number; go: (state: number) => void }) {
  const { answer, entries, total, error, more } = usePages({ ask: "state_leaks", policy }, (found) => found.states);
  const conv = answer?.nash_conv ?? 1;
  return (
    <div class="card">
      <h3>Public states</h3>
      <Failure text={error} />
      <div class="scroll" role="region" tabIndex={0} aria-label="public states with leaks">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <Term of="public state" />
              </th>
              <th scope="col" class="n">
                cost
              </th>
              <th scope="col" class="n">
                share
              </th>
              <th scope="col" class="n">
                infostates
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={`${entry.player}.${entry.state}`}>
                <th scope="row">
                  <StateLink of={entry} go={go} />
                </th>
                <td class="n">{number(entry.cost, 4)}</td>
                <Share of={entry.cost / conv}>{percent(entry.cost / conv)}</Share>
                <td class="n">{count(entry.num_infostates)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More shown={entries.length} total={total} of="public states" more={more} />
    </div>
  );
}

function Row({ leak, of, go }: { leak: Leak; of: number; go: (state: number) => void }) {
  return (
    <tr>
      <th scope="row">
        <StateLink of={leak} go={go} />
      </th>
      <td class="n">{number(leak.cost, 4)}</td>
      <Share of={leak.cost / of}>{percent(leak.cost / of)}</Share>
      <td class="n">{number(leak.loss)}</td>
      <td>
        <Swatch of={leak.actions[leak.best]!} /> {leak.actions[leak.best]}
      </td>
      <td>
        <PolicyCell labels={leak.actions} probabilities={leak.probabilities} />
      </td>
    </tr>
  );
}
