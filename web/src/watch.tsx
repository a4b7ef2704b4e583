// Watch methods converge: NashConv on logarithmic axes, and the chosen state's probabilities.

import { useContext, useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { Scheme } from "./scheme";
import { ActionBar, Channel, Failure, PlayerMark, Swatch, Term, count, error as errorText, inOrder, useAnswer, useStyle } from "./parts";
import { HandSquare } from "./state";
import type { Live, LiveMessage } from "./transport";
import type { Game, HandGrid, LivePoint } from "./types";

const MAX_POINTS = 2000;
const MAX_RUNS = 2;
const UNITS: Record<string, string> = { learners: "episodes", "policy networks": "learner steps" };

interface Run {
  id: number;
  name: string;
  unit: string;
  points: [number, number][];
  last: LivePoint | null;
  note: string;
  isOver: boolean;
}

export function WatchView({ about, state, changed }: { about: Game; state: number; changed: () => void }) {
  const channel = useContext(Channel);
  const [method, choose] = useState(Math.max(0, about.methods.findIndex((entry) => entry.name === "cfr+")));
  const [runs, setRuns] = useState<Run[]>([]);
  const live = useRef(new Map<number, Live>());
  const next = useRef(0);
  const update = (id: number, change: (run: Run) => Partial<Run>): void =>
    setRuns((before) => before.map((run) => (run.id === id ? { ...run, ...change(run) } : run)));

  useEffect(() => {
    for (const run of live.current.values()) run.look(state);
  }, [state]);
  useEffect(
    () => () => {
      for (const run of live.current.values()) run.stop();
    },
    [],
  );

  const start = (): void => {
    if (!channel?.watch) return;
    const id = next.current++;
    const { name, kind } = about.methods[method]!;
    setRuns((before) => [
      ...before.filter((run) => !run.isOver || before.length < MAX_RUNS).slice(-(MAX_RUNS - 1)),
      { id, name, unit: UNITS[kind] ?? "iterations", points: [], last: null, note: "", isOver: false },
    ]);
    const heard = (message: unknown): void => {
      const told = message as LiveMessage;
      if (told.error) update(id, () => ({ note: told.error! }));
      else if (told.iteration !== undefined) {
        const point = message as LivePoint;
        update(id, (run) => ({
          last: point,
          note: point.outcome,
          points:
            run.last?.iteration === point.iteration
              ? run.points
              : [...run.points, [point.iteration, Math.max(point.nash_conv, 1e-16)] as [number, number]].slice(-MAX_POINTS),
        }));
      } else if (told.policy !== undefined && told.policy !== null) changed();
    };
    live.current.set(
      id,
      channel.watch(method, state, heard, () => {
        live.current.delete(id);
        update(id, () => ({ isOver: true }));
      }),
    );
  };
  const kinds = [...new Set(about.methods.map((entry) => entry.kind))];
  const running = runs.filter((run) => !run.isOver);
  return (
    <section aria-label="watch methods converge">
      <p class="choices">
        <label>
          method{" "}
          <select value={method} onChange={(event) => choose(Number(event.currentTarget.value))}>
            {kinds.map((kind) => (
              <optgroup key={kind} label={kind}>
                {about.methods.map(
                  (entry, at) =>
                    entry.kind === kind && (
                      <option key={at} value={at}>
                        {entry.name}
                      </option>
                    ),
                )}
              </optgroup>
            ))}
          </select>
        </label>
        <button type="button" onClick={start} disabled={running.length >= MAX_RUNS}>
          start
        </button>
        {running.map((run) => (
          <button type="button" key={run.id} onClick={() => live.current.get(run.id)?.stop()}>
            stop {run.name}
          </button>
        ))}
      </p>
      <p class="quiet">{about.methods[method]?.about}</p>
      <div class="watched">
        <div>
          <Chart runs={runs} />
          <ul class="runs" aria-live="off">
            {runs.map((run, at) => (
              <li key={run.id}>
                <span class={`line l${at}`} aria-hidden="true" /> <b>{run.name}</b>{" "}
                {run.last ? (
                  <>
                    {count(run.last.iteration)} {run.unit}, <Term of="NashConv" /> {errorText(run.last.nash_conv)}
                  </>
                ) : (
                  !run.note && "compiling…"
                )}{" "}
                {run.isOver && run.note && `(${run.note})`}
              </li>
            ))}
          </ul>
          {runs.filter((run) => run.note && run.isOver && !run.last).map((run) => <Failure key={run.id} text={run.note} />)}
        </div>
        <div>
          {runs.map((run) => run.last && <Moving key={run.id} run={run} last={run.last} state={state} />)}
        </div>
      </div>
    </section>
  );
}

function Chart({ runs }: { runs: Run[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const scheme = useContext(Scheme);
  const ids = runs.map((run) => run.id).join();
  const units = [...new Set(runs.map((run) => run.unit))].join(" or ") || "iterations";
  useEffect(() => {
    const host = place.current;
    if (!host || !runs.length) return;
    const style = getComputedStyle(host);
    const ink = style.getPropertyValue("--ink");
    const lines = { stroke: style.getPropertyValue("--line"), width: 1, filter: powers };
    const axis = { stroke: ink, grid: lines, ticks: lines };
    const made = new uPlot(
      {
        width: host.clientWidth,
        height: 280,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
        axes: [
          { ...axis, label: units, values: powerTexts },
          { ...axis, label: "NashConv", size: 64, values: powerTexts },
        ],
        series: [
          {},
          ...runs.map((_, at) => ({
            stroke: style.getPropertyValue(`--l${at}`),
            width: 2,
            spanGaps: true,
            ...(at ? { dash: [8, 4] } : {}),
          })),
        ],
      },
      aligned(runs),
      host,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: host.clientWidth, height: 280 }));
    resized.observe(host);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [ids, scheme]);
  useEffect(() => plot.current?.setData(aligned(runs)), [runs]);
  return <div ref={place} class="chart" role="img" aria-label="NashConv by iterations; the list below has the last numbers" />;
}

const isPower = (value: number | null): boolean => !!value && Math.abs(Math.log10(value) % 1) < 1e-9;

/** Grid lines only at powers of ten. */
function powers(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map((value) => (isPower(value) ? value : null));
}

function powerTexts(_: uPlot, splits: (number | null)[]): string[] {
  return splits.map((value) => {
    if (!value || !isPower(value)) return "";
    return value >= 1e-3 && value < 1e6 ? value.toLocaleString("en-US") : `1e${Math.round(Math.log10(value))}`.replace("-", "−");
  });
}

/** The points of all runs on one axis of iterations, with gaps. */
function aligned(runs: Run[]): uPlot.AlignedData {
  const all = [...new Set(runs.flatMap((run) => run.points.map((point) => point[0])))].sort((a, b) => a - b);
  const rows = runs.map((run) => {
    const known = new Map(run.points);
    return all.map((iteration) => known.get(iteration) ?? null);
  });
  return [all, ...rows] as unknown as uPlot.AlignedData;
}

function Moving({ run, last, state }: { run: Run; last: LivePoint; state: number }) {
  const acting = [...new Set(Object.keys(last.probabilities).map((key) => Number(key.split(".")[0])))];
  return (
    <details class="player-part" open>
      <summary>{run.name} at the chosen public state</summary>
      {last.hands.map((grid) => (
        <MovingHands key={grid.player} grid={grid} />
      ))}
      {acting.map((player) => (
        <MovingPlayer key={player} last={last} state={state} player={player} />
      ))}
      {!last.hands.length && !acting.length && (
        <p class="quiet">Nobody acts there. Choose another public state in the view explore.</p>
      )}
    </details>
  );
}

/** A player's hands of two cards, with the colors of the actions. */
function MovingHands({ grid }: { grid: HandGrid }) {
  const style = useStyle();
  return (
    <>
      <h4>
        <PlayerMark player={grid.player} />
      </h4>
      <ul class="moving inline">
        {inOrder(grid.action_labels, (label) => label, style).map((label) => (
          <li key={label}>
            <Swatch of={label} /> {label}
          </li>
        ))}
      </ul>
      <HandSquare grid={grid} />
    </>
  );
}

function MovingPlayer({ last, state, player }: { last: LivePoint; state: number; player: number }) {
  const { answer } = useAnswer({ ask: "infostates", policy: 0, state, player });
  const rows = (answer?.infostates ?? []).filter((entry) => last.probabilities[`${player}.${entry.infostate}`]);
  if (!rows.length) return null;
  return (
    <>
      <h4>
        <PlayerMark player={player} />
      </h4>
      <ul class="moving">
        {rows.map((entry) => {
          const found = last.probabilities[`${player}.${entry.infostate}`]!;
          const actions = entry.actions.map((action, at) => ({ label: action.label, probability: found[at] ?? 0 }));
          return (
            <li key={entry.infostate}>
              <span class="hand">{entry.label}</span> <ActionBar actions={actions} />{" "}
              <span class="quiet">{actions.map((action) => `${action.label} ${action.probability.toFixed(2)}`).join(", ")}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
