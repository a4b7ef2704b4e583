// Where one is, in the address of the page: reload, back and forward, and links to a place.

import { useEffect, useState } from "preact/hooks";

export interface Where<T extends string> {
  tab: T;
  policy: number;
  place: number;
}

/** The part of the address that a server wants to see; it stays in front. */
export const token = (): string => location.hash.slice(1).split("/")[0]!;

/** A number of the address, if it is one below a limit. */
function numbered(text: string | undefined, limit: number, otherwise: number): number {
  return text && /^\d+$/.test(text) && Number(text) < limit ? Number(text) : otherwise;
}

/**
 * The view, the policy and the place that are shown, and a function that changes them.
 *
 * They are in the address, as `#token/view/policy/place`, if the document is the page's own.
 */
export function useAddress<T extends string>(
  start: Where<T>,
  tabs: T[],
  policies: number,
  isOwn: boolean,
): [Where<T>, (change: Partial<Where<T>>) => void] {
  const read = (): Where<T> => {
    const [, tab, policy, place] = isOwn ? location.hash.split("/") : [];
    return {
      tab: tabs.find((name) => name === tab) ?? start.tab,
      policy: numbered(policy, policies, start.policy),
      place: numbered(place, Infinity, start.place),
    };
  };
  const [where, set] = useState(read);
  useEffect(() => {
    if (!isOwn) return;
    const moved = (): void => set(read());
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, [policies, isOwn]);
  const move = (change: Partial<Where<T>>): void => {
    const next = { ...where, ...change };
    if (next.tab === where.tab && next.policy === where.policy && next.place === where.place) return;
    set(next);
    if (isOwn) history.pushState(null, "", `#${token()}/${next.tab}/${next.policy}/${next.place}`);
  };
  return [where, move];
}
