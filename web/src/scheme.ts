// Whether the page is light or dark: as what surrounds it.

import { createContext, type RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

export type SchemeName = "light" | "dark";

export const Scheme = createContext<SchemeName>("light");

/** The scheme of what is behind an element: of a notebook with colors of its own, else the system's. */
function schemeBehind(element: Element | null, system: MediaQueryList): SchemeName {
  for (let at = element?.parentElement; at; at = at.parentElement) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (getComputedStyle(at).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
  }
  return system.matches ? "dark" : "light";
}

/** The scheme of the page at a place; it follows changes of the system and of the notebook. */
export function useScheme(place: RefObject<Element | null>): SchemeName {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const [scheme, set] = useState<SchemeName>(system.matches ? "dark" : "light");
  useEffect(() => {
    const look = (): void => set(schemeBehind(place.current, system));
    const observer = new MutationObserver(look);
    for (const themed of [document.documentElement, document.body]) observer.observe(themed, { attributes: true });
    system.addEventListener("change", look);
    look();
    return () => {
      observer.disconnect();
      system.removeEventListener("change", look);
    };
  }, []);
  return scheme;
}
