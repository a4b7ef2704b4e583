// Small parts that several views share.

import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { Answer, Name, PagedName, Question, Transport } from "./transport";
import type { ActionStyle, Game } from "./types";

/** The words of the field, and the names of the players. */
export const About = createContext<Pick<Game, "terms" | "player_names" | "pot" | "actions" | "policies">>({ terms: {}, player_names: [], pot: null, actions: [], policies: [] });
export const useNames = (): string[] => useContext(About).player_names;
export const usePot = (): Game["pot"] => useContext(About).pot;

/** How an action looks, and its place among all actions of the game. */
export type Style = (label: string) => ActionStyle & { place: number };
export const useIsListed = (): ((label: string) => boolean) => {
  const { actions } = useContext(About);
  return (label) => actions.some((style) => style.label === label);
};
export const Styles = createContext<Style>(stylesOf([]));
export const useStyle = (): Style => useContext(Styles);
const REST = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7b4a9e", "#8a8a8a"];

/** Styles by label. Labels that the game does not list, as in games by rules, keep the first free one. */
export function stylesOf(listed: ActionStyle[]): Style {
  const found = new Map(listed.map((style, place) => [style.label, { ...style, place }]));
  return (label) => {
    const place = found.size;
    const taken = new Set([...found.values()].map((style) => style.key));
    const key = [...(label.length === 1 ? label : ""), ..."123456789"].find((one) => /^[0-9a-z]$/.test(one) && !taken.has(one)) ?? "";
    const style = found.get(label) ?? { label, color: REST[place % REST.length]!, ink: "#000000", key, place };
    found.set(label, style);
    return style;
  };
}

/** Entries by label, in the order in which the game's actions are shown. */
export function inOrder<T>(entries: T[], label: (entry: T) => string, style: Style): T[] {
  entries.forEach((entry) => style(label(entry))); // labels that are new are numbered in their order
  return [...entries].sort((a, b) => style(label(a)).place - style(label(b)).place);
}

/** The color of an action. */
export function Swatch({ of }: { of: string }) {
  return <i class="swatch" style={{ "--c": useStyle()(of).color }} aria-hidden="true" />;
}

export const Channel = createContext<Transport | null>(null);

export const MARKS = ["▲", "▼", "◆", "⬟", "⬢", "■"];

/** A player's mark and name in its color; the mark tells it without color. */
export function PlayerMark({ player }: { player: number }) {
  const at = player % MARKS.length;
  return (
    <span class={`player p${at}`}>
      <span aria-hidden="true">{MARKS[at]}</span> {useNames()[player]}
    </span>
  );
}

/** A word of the field, with its meaning as a tooltip that the keyboard reaches too. */
export function Term({ of, children }: { of: string; children?: ComponentChildren }) {
  const meaning = useContext(About).terms[of];
  const [shown, show] = useState(false);
  if (!meaning) return <>{children ?? of}</>;
  return (
    // A finger that taps also enters, so that a click only opens.
    <span class="term" onMouseEnter={() => show(true)} onMouseLeave={() => show(false)}>
      <button
        type="button"
        class="word"
        aria-expanded={shown}
        onClick={() => show(true)}
        onBlur={() => show(false)}
        onKeyDown={(event) => event.key === "Escape" && show(false)}
      >
        {children ?? of}
      </button>
      {shown && <span role="tooltip">{meaning}</span>}
    </span>
  );
}

/** Values closer to zero than this differ from it by rounding. */
const ROUNDING = 1e-9;

export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined) return "unknown";
  const size = Math.abs(value);
  if (size < ROUNDING) return "0";
  const text = size < 1e-3 || size >= 1e6 ? value.toExponential(1) : value.toFixed(digits);
  return text.replaceAll("-", "−");
}

/** A value and, in a game that begins with a pot, what the player gets of it. */
export function valueText(value: number, player: number, pot: Game["pot"], digits?: number): string {
  return number(value, digits) + (pot ? ` (${number(value + pot.contributions[player]!, digits)} with the pot)` : "");
}

/** An error such as NashConv, which may be as small as rounding. */
export function error(value: number, pot: Game["pot"] = null): string {
  if (value < ROUNDING && value > 0) return "<1e−9"; // rounding is not information
  return number(value, 5) + (pot ? ` (${number((100 * value) / pot.size)}% of the pot)` : "");
}

/** A transition as one line of a transcript, without its number. */
export function lineText(line: string): string {
  return line.replace(/^\s*\d+\.\s*/, "").replace(/^-\s*\|\s*/, "");
}

export function percent(value: number): string {
  if (value > 0 && value < 0.0005) return "<0.1%";
  if (value > 0.9995 && 1 - value > ROUNDING) return ">99.9%";
  return `${(100 * value).toFixed(1)}%`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export interface Asked<T> {
  answer: T | null;
  error: string;
}

/** The answer of a question, none if it is null; the last answer stays until the next one is there. */
export function useAnswer<N extends Name>(question: Question<N> | null): Asked<Answer<N>> {
  const channel = useContext(Channel);
  const [asked, set] = useState<Asked<Answer<N>>>({ answer: null, error: "" });
  const text = JSON.stringify(question);
  useEffect(() => {
    let isCurrent = true;
    if (channel && question) {
      channel.ask(question).then(
        (answer) => isCurrent && set({ answer, error: "" }),
        (error: Error) => isCurrent && set({ answer: null, error: error.message }),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [text, channel]);
  return asked;
}

interface Pages<N extends Name, E> {
  answer: Answer<N> | null;
  entries: E[];
  total: number;
  error: string;
}

/** Entries of answers that come in pages, the last answer, and a function that asks for the next page. */
export function usePages<N extends PagedName, E>(
  question: Question<N>,
  entries: (answer: Answer<N>) => E[],
): Pages<N, E> & { more: () => void } {
  const channel = useContext(Channel);
  const [state, set] = useState<Pages<N, E> & { key: string }>({ key: "", answer: null, entries: [], total: 0, error: "" });
  const text = JSON.stringify(question);
  const current = useRef(text);
  current.current = text;
  const load = (start: number, before: E[]): void => {
    // An answer that comes after the page has asked something else is dropped.
    const keep = (change: Pages<N, E>): void => {
      if (current.current === text) set({ key: text, ...change });
    };
    channel?.ask<N>({ ...question, start }).then(
      (answer) => keep({ answer, entries: [...before, ...entries(answer)], total: answer.total, error: "" }),
      (failure: Error) => keep({ answer: state.answer, entries: before, total: before.length, error: failure.message }),
    );
  };
  useEffect(() => load(0, []), [text, channel]);
  // Before its first page is there, the entries are those of another question.
  return { ...state, more: () => state.key === text && load(state.entries.length, state.entries) };
}

export function More({ shown, total, of, more }: { shown: number; total: number; of: string; more: () => void }) {
  if (shown >= total) return null;
  return (
    <button type="button" class="more" onClick={more}>
      show more: {count(shown)} of {count(total)} {of}
    </button>
  );
}

export interface Played {
  label: string;
  probability: number;
}

/** Probabilities of actions as one bar; if it has room for letters, actions are written where they fit. */
export function ActionBar({ actions, letters = 0 }: { actions: Played[]; letters?: number }) {
  const style = useStyle();
  const sorted = inOrder(actions, (action) => action.label, style);
  return (
    <span class={letters ? "bar wide" : "bar"} role="img" aria-label={sorted.map((a) => `${a.label} ${percent(a.probability)}`).join(", ")}>
      {sorted.map(({ label, probability }) => (
        <span
          key={label}
          class="part"
          title={`${label} ${percent(probability)}`}
          style={{ flexGrow: probability, "--c": style(label).color, "--on": style(label).ink }}
        >
          {probability * letters > label.length + 7 ? `${label} ${percent(probability)}` : probability * letters > label.length + 2 ? label : ""}
        </span>
      ))}
    </span>
  );
}

/** Probabilities of actions as text. */
export function Percents({ actions }: { actions: Played[] }) {
  const sorted = inOrder(actions, (action) => action.label, useStyle());
  return <span class="quiet">{sorted.map((action) => `${action.label} ${percent(action.probability)}`).join(", ")}</span>;
}

/** What a policy does at an infostate: a bar, and numbers below it. */
export function PolicyCell({ labels, probabilities }: { labels: string[]; probabilities: number[] }) {
  const actions = labels.map((label, at) => ({ label, probability: probabilities[at]! }));
  return (
    <>
      <ActionBar actions={actions} />
      <Percents actions={actions} />
    </>
  );
}

/** A player, and the text of an infostate or a public state, with a link to the state. */
export function StateLink({ of, go }: { of: { player: number; state: number; label: string }; go: (state: number) => void }) {
  return (
    <>
      <PlayerMark player={of.player} />{" "}
      <button type="button" class="link" onClick={() => go(of.state)}>
        {of.label}
      </button>
    </>
  );
}

/** A probability with a bar behind it, in tables. */
export function Share({ of, children }: { of: number | null; children: ComponentChildren }) {
  return (
    <td class="n share" style={{ "--share": Math.min(1, of ?? 0) }}>
      {children}
    </td>
  );
}

export function Failure({ text }: { text: string }) {
  return text ? (
    <p class="failure" role="alert">
      {text}
    </p>
  ) : null;
}
