// The page: the game and its policy at the top, the views below.

import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Where, useAddress } from "./address";
import { CompareView, PolicySelect } from "./compare";
import { FormView } from "./form";
import { LeaksView } from "./leaks";
import { About, Channel, Failure, PlayerMark, Styles, Term, count, error as errorText, stylesOf, useAnswer, valueText } from "./parts";
import { PlayView } from "./play";
import { Scheme, useScheme } from "./scheme";
import { StateView } from "./state";
import { Tree, type TreeNode } from "./tree";
import type { Transport } from "./transport";
import type { Children, FormHistories, FormHistory, Game, StateLink } from "./types";
import { WatchView } from "./watch";

const TABS = ["explore", "leaks", "compare", "watch", "play"] as const;
type Tab = (typeof TABS)[number];

/** The whole page; `titled` if the document is its own, and has the game as its title. */
export function Page({ transport, titled }: { transport: Transport; titled: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useScheme(place);
  const [about, setAbout] = useState<Game | null>(null);
  const [error, setError] = useState("");
  const [version, setVersion] = useState(0);
  const refresh = (): void => setVersion((before) => before + 1);
  useEffect(() => {
    let isCurrent = true;
    transport.ask({ ask: "game" }).then(
      (answer) => isCurrent && setAbout(answer),
      (failure: Error) => isCurrent && setError(failure.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [transport, version]);
  const listed = JSON.stringify(about?.actions ?? []);
  const style = useMemo(() => stylesOf(about?.actions ?? []), [listed]);
  useEffect(() => {
    if (titled && about) document.title = `${about.game} · infoset`;
  }, [titled, about?.game]);
  return (
    <div class="infoset" data-scheme={scheme} ref={place}>
      <Failure text={error} />
      {!about && !error && <p class="quiet">…</p>}
      {about && (
        <Channel.Provider value={transport}>
          <About.Provider value={about}>
            <Styles.Provider value={style}>
              <Scheme.Provider value={scheme}>
                <Loaded about={about} refresh={refresh} isOwn={titled} />
              </Scheme.Provider>
            </Styles.Provider>
          </About.Provider>
        </Channel.Provider>
      )}
    </div>
  );
}

/** Whether the game is shown by public states: as a tree, or as a public form. */
const hasStates = (about: Game): boolean => about.kind === "tree" || about.kind === "public";

function Loaded({ about, refresh, isOwn }: { about: Game; refresh: () => void; isOwn: boolean }) {
  const channel = useContext(Channel)!;
  const possible: Record<Tab, boolean> = {
    explore: about.kind !== "rules",
    leaks: hasStates(about),
    compare: hasStates(about),
    watch: channel.watch !== null && about.methods.length > 0,
    play: about.opponents.length > 0,
  };
  const tabs = TABS.filter((tab) => possible[tab]);
  const start: Where<Tab> = { tab: tabs[0] ?? "play", policy: 0, place: about.start };
  const [{ tab, policy, place }, move] = useAddress(start, tabs, about.policies.length, isOwn);
  const setPolicy = (chosen: number): void => move({ policy: chosen });
  const [id] = useState(() => Math.random().toString(36).slice(2)); // a notebook may show several pages
  const onTabKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]!;
    move({ tab: next });
    event.stopPropagation();
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <>
      <header>
        <h1>{about.game}</h1>
        <p class="facts quiet">
          {about.player_names.map((_, player) => (
            <PlayerMark key={player} player={player} />
          ))}
          {Object.entries(about.sizes).map(([name, size]) => (
            <span key={name}>
              {count(size)} {name}
            </span>
          ))}
        </p>
        {about.kind === "rules" && (
          <p role="note">This game is too large to be built as a tree: it can be played, and plays can be looked at by the rules.</p>
        )}
        <div role="tablist" aria-label="views" class="tabs" onKeyDown={onTabKey}>
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === tab}
              aria-controls={`${id}-view`}
              tabIndex={name === tab ? 0 : -1}
              onClick={() => move({ tab: name })}
            >
              {name}
            </button>
          ))}
        </div>
      </header>
      <div id={`${id}-view`} role="tabpanel" aria-labelledby={`${id}-${tab}`}>
        {tab === "explore" && <Explore about={about} policy={policy} setPolicy={setPolicy} place={place} go={(next) => move({ place: next })} refresh={refresh} />}
        {tab === "leaks" && (
          <LeaksView
            about={about}
            policy={policy}
            setPolicy={setPolicy}
            go={(state) => move({ place: state, tab: "explore" })}
          />
        )}
        {tab === "compare" && (
          <CompareView
            about={about}
            go={(chosen, state) => move({ policy: chosen, place: state, tab: "explore" })}
          />
        )}
        {possible.watch && (
          <div hidden={tab !== "watch"}>
            <WatchView about={about} state={place} changed={refresh} />
          </div>
        )}
        {possible.play && (
          <div hidden={tab !== "play"}>
            <PlayView about={about} />
          </div>
        )}
      </div>
    </>
  );
}

interface ExploreProperties {
  about: Game;
  policy: number;
  setPolicy: (policy: number) => void;
  place: number;
  go: (place: number) => void;
  refresh: () => void;
}

function Explore({ about, policy, setPolicy, place, go, refresh }: ExploreProperties) {
  const chosen = about.policies[policy]!;
  return (
    <>
      <p class="choices">
        <PolicySelect about={about} label="policy" value={policy} choose={setPolicy} />
        <span class="quiet">
          values {chosen.values.map((value, player) => valueText(value, player, about.pot, 4)).join(", ")};{" "}
          {chosen.exploitability !== null ? (
            <>
              <Term of="exploitability" /> {errorText(chosen.exploitability, about.pot)}
            </>
          ) : (
            <>
              <Term of="NashConv" /> {errorText(chosen.nash_conv)}
            </>
          )}
        </span>
      </p>
      {hasStates(about) ? (
        <>
          <StateView policy={policy} state={place} players={about.num_players} go={go} setPolicy={setPolicy} refresh={refresh} />
          <PublicTree policy={policy} place={place} go={go} />
        </>
      ) : (
        <>
          <HistoryTree policy={policy} place={place} go={go} />
          <FormView policy={policy} history={place} players={about.num_players} go={go} />
        </>
      )}
    </>
  );
}

function publicNode(link: StateLink): TreeNode {
  return {
    id: link.state,
    label: link.state === 0 ? "start" : link.label,
    probability: link.probability,
    num_children: link.num_children,
    is_end: link.is_end,
    actors: link.actors,
    is_chance: false,
  };
}

type TreeProperties = Pick<ExploreProperties, "policy" | "place" | "go">;

function PublicTree({ policy, place, go }: TreeProperties) {
  const { answer, error } = useAnswer({ ask: "state", policy, state: place });
  if (!answer) return <Failure text={error} />;
  return (
    <Tree
      root={publicNode(answer.path[0]!)}
      title="public states"
      question={(state, start) => ({ ask: "children", policy, state, start })}
      read={(found: Children) => ({ total: found.total, nodes: found.children.map(publicNode) })}
      chosen={place}
      path={answer.path.map((link) => link.state)}
      choose={go}
      version={`${policy}`}
    />
  );
}

function formNode(entry: FormHistory): TreeNode {
  return {
    id: entry.history,
    label: entry.history === 0 ? "start" : entry.label,
    probability: entry.probability,
    num_children: entry.num_children,
    is_end: entry.is_end,
    actors: entry.actor === null ? [] : [entry.actor],
    is_chance: entry.is_chance,
  };
}

function HistoryTree({ policy, place, go }: TreeProperties) {
  const { answer, error } = useAnswer({ ask: "form_history", policy, history: place });
  if (!answer) return <Failure text={error} />;
  return (
    <Tree
      root={formNode(answer.histories[0]!)}
      title="histories"
      question={(history, start) => ({ ask: "form_children", policy, history, start })}
      read={(found: FormHistories) => ({ total: found.total, nodes: found.histories.map(formNode) })}
      chosen={place}
      path={answer.histories.map((entry) => entry.history)}
      choose={go}
      version={`${policy}`}
    />
  );
}
