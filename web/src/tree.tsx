// The public tree, or the histories of an extensive form: asked for as it is opened.

import { hierarchy, tree as layout } from "d3-hierarchy";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { Channel, Failure, MARKS, count, percent, useNames } from "./parts";
import type { Question } from "./transport";

export interface TreeNode {
  id: number;
  label: string;
  probability: number;
  num_children: number;
  is_end: boolean;
  actors: number[];
  is_chance: boolean;
}

interface Opened {
  node: TreeNode;
  children: Opened[] | null;
  total: number;
}

const ROW = 30;
const NODE = 138; // as in the style sheet
const COLUMN = 158;

interface Properties {
  root: TreeNode;
  title: string;
  question: (node: number, start: number) => Question;
  read: (answer: never) => { total: number; nodes: TreeNode[] };
  chosen: number;
  path: number[];
  choose: (node: number) => void;
  version: string;
}

interface Placed {
  opened: Opened;
  x: number;
  y: number;
  depth: number;
  parent: Placed | null;
  rest: number;
}

function placed(root: Opened): Placed[] {
  const laid = layout<Opened>().nodeSize([ROW, COLUMN])(hierarchy(root, (node) => node.children));
  // Depth first: readers of the tree go by the order of its elements.
  const all: (typeof laid)[] = [];
  laid.eachBefore((node) => void all.push(node));
  const top = Math.min(...all.map((node) => node.x));
  const found = new Map<unknown, Placed>();
  for (const node of all) {
    const rest = node.data.children ? node.data.total - node.data.children.length : 0;
    const parent = node.parent ? (found.get(node.parent) ?? null) : null;
    found.set(node, { opened: node.data, x: node.x - top, y: node.y, depth: node.depth, parent, rest });
  }
  return all.map((node) => found.get(node)!);
}

export function Tree({ root, title, question, read, chosen, path, choose, version }: Properties) {
  const channel = useContext(Channel);
  const names = useNames();
  const [opened, setOpened] = useState<Opened>({ node: root, children: null, total: 0 });
  const [error, setError] = useState("");
  const place = useRef<HTMLDivElement>(null);
  const all = useRef<Opened>(opened);

  const find = (at: Opened, id: number): Opened | null => {
    if (at.node.id === id) return at;
    for (const child of at.children ?? []) {
      const found = find(child, id);
      if (found) return found;
    }
    return null;
  };
  const changed = (): void => setOpened({ ...all.current });

  const open = async (id: number): Promise<void> => {
    const at = find(all.current, id);
    if (!channel || !at || at.node.num_children === 0) return;
    const before = at.children ?? [];
    if (before.length && before.length >= at.total) return;
    try {
      const answer = read((await channel.ask(question(id, before.length))) as never);
      // The same question may have been asked twice; a late answer must not close what is open below.
      if ((at.children ?? []).length > before.length) return;
      at.total = answer.total;
      at.children = [...before, ...answer.nodes.map((node) => ({ node, children: null, total: 0 }))];
      setError("");
    } catch (failure) {
      setError((failure as Error).message);
    }
    changed();
  };
  const close = (id: number): void => {
    const at = find(all.current, id);
    if (at) at.children = null;
    changed();
  };

  useEffect(() => {
    // Another policy: the same nodes are open, with its probabilities.
    all.current = { node: root, children: null, total: 0 };
    changed();
    void (async () => {
      for (const id of path.length ? path : [root.id]) await open(id);
    })();
  }, [version, channel]);
  useEffect(() => {
    void (async () => {
      for (const id of path) if (!find(all.current, id)?.children) await open(id);
    })();
  }, [chosen, path.join()]);

  // The overview follows: the chosen node and its children are in view.
  useEffect(() => {
    const node = place.current?.querySelector<HTMLElement>(`[data-node="${chosen}"]`);
    const box = place.current;
    if (!node || !box) return;
    box.scrollLeft = Math.max(0, node.offsetLeft + 2 * COLUMN - box.clientWidth);
    box.scrollTop = Math.max(0, node.offsetTop - box.clientHeight / 2);
  }, [chosen, find(all.current, chosen)?.children?.length]);

  const nodes = placed(all.current);
  const height = Math.max(...nodes.map((node) => node.x)) + ROW;
  const width = Math.max(...nodes.map((node) => node.y)) + COLUMN;
  const focus = (id: number | undefined): void => {
    if (id === undefined) return;
    choose(id);
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(`[data-node="${id}"]`)?.focus());
  };

  const onKey = (event: KeyboardEvent, at: Placed): void => {
    const order = [...nodes].sort((a, b) => a.x - b.x || a.y - b.y);
    const beside = order.filter((node) => node.depth === at.depth);
    const here = beside.indexOf(at);
    const id = at.opened.node.id;
    const keys: Record<string, () => void> = {
      ArrowDown: () => focus(beside[here + 1]?.opened.node.id),
      ArrowUp: () => focus(beside[here - 1]?.opened.node.id),
      ArrowLeft: () => focus(at.parent?.opened.node.id),
      ArrowRight: () =>
        at.opened.children ? focus(at.opened.children[0]?.node.id) : void open(id),
      Home: () => focus(root.id),
      Enter: () => (at.opened.children ? close(id) : void open(id)),
      " ": () => focus(id),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  const tabStop = nodes.some((node) => node.opened.node.id === chosen) ? chosen : root.id;
  return (
    <div class="tree" ref={place} role="region" aria-label={title} tabIndex={0}>
      <div class="sheet" style={{ height: `${height}px`, width: `${width}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {nodes.map(
            (node) =>
              node.parent && (
                <path
                  key={node.opened.node.id}
                  class={node.opened.node.probability > 0 ? "edge" : "edge never"}
                  stroke-width={1 + 6 * node.opened.node.probability}
                  d={curve(node.parent, node)}
                />
              ),
          )}
        </svg>
        <div role="tree" aria-label={title}>
          {nodes.map((node) => {
            const { id, label, probability, num_children, is_end, actors, is_chance } = node.opened.node;
            return (
              <div
                key={id}
                data-node={id}
                role="treeitem"
                aria-level={node.depth + 1}
                aria-selected={id === chosen}
                aria-expanded={num_children ? node.opened.children !== null : undefined}
                tabIndex={id === tabStop ? 0 : -1}
                class={`node ${probability > 0 ? "" : "never"} ${is_end ? "end" : ""}`}
                style={{ left: `${node.y}px`, top: `${node.x}px` }}
                title={nodeText(node.opened.node, names)}
                // What is above grows with each answer: between press and release the node may move away.
                onMouseDown={() => {
                  choose(id);
                  void open(id);
                }}
                onClick={() => {
                  choose(id);
                  void open(id);
                }}
                onKeyDown={(event) => onKey(event, node)}
              >
                <span class="label">{label}</span>
                <span class="who">
                  {is_chance && "○"}
                  {actors.map((player) => (
                    <span key={player} class={`p${player % MARKS.length}`}>
                      {MARKS[player % MARKS.length]}
                    </span>
                  ))}
                </span>
                {num_children > 0 && !node.opened.children && <span class="many">+{count(num_children)}</span>}
              </div>
            );
          })}
        </div>
      </div>
      {nodes
        .filter((node) => node.rest > 0)
        .map((node) => (
          <button type="button" class="more" key={node.opened.node.id} onClick={() => void open(node.opened.node.id)}>
            {count(node.rest)} more below “{node.opened.node.label}”
          </button>
        ))}
      <Failure text={error} />
    </div>
  );
}

function nodeText({ label, probability, actors, is_chance, is_end }: TreeNode, names: string[]): string {
  const seen = label === "∅" ? "∅ (nothing is observed by all)" : label;
  const next = is_end ? "the end" : is_chance ? "chance moves" : actors.length ? `${actors.map((player) => names[player]).join(", ")} acts` : "chance or nobody acts";
  return `${seen}: ${percent(probability)} of the plays that reach its parent; ${next}`;
}

function curve(from: Placed, to: Placed): string {
  const start = from.y + NODE - 1;
  const middle = (start + to.y) / 2;
  const [a, b] = [from.x + 13, to.x + 13];
  return `M${start},${a}C${middle},${a} ${middle},${b} ${to.y},${b}`;
}
