// How the page asks its questions: of a server, of a notebook's kernel, or of the file it is in.

import type { Questions } from "./types";

export type Name = keyof Questions;
/** A question by its name, with its arguments. */
export type Question<N extends Name = Name> = { ask: N } & Questions[N]["arguments"];
export type Answer<N extends Name> = Questions[N]["answer"];
/** Names of the questions whose answers come in pages. */
export type PagedName = { [N in Name]: "start" extends keyof Questions[N]["arguments"] ? N : never }[Name];

export interface LiveMessage {
  error?: string;
  policy?: number | null;
  iteration?: number;
}

/** A run that is being watched. */
export interface Live {
  look(state: number): void;
  stop(): void;
}

export interface Transport {
  ask<N extends Name>(question: Question<N>): Promise<Answer<N>>;
  /** Watch a run; null where there are none. */
  watch: ((run: number, state: number, heard: (message: unknown) => void, over: () => void) => Live) | null;
}

async function unpacked<T>(response: Response): Promise<T> {
  const answer: unknown = response.headers.get("content-type")?.includes("json")
    ? await response.json()
    : {};
  if (!response.ok) {
    const told = (answer as { error?: string }).error;
    throw new Error(told ?? `the server refused the question (${response.status}); reload the address it printed`);
  }
  return answer as T;
}

export function serverTransport(token: string): Transport {
  return {
    async ask<N extends Name>(question: Question<N>): Promise<Answer<N>> {
      const response = await fetch("/ask", {
        method: "POST",
        body: JSON.stringify(question),
        headers: { "content-type": "application/json", "x-infoset-token": token },
      });
      return unpacked<Answer<N>>(response);
    },
    watch(run, state, heard, over) {
      const socket = new WebSocket(`ws://${location.host}/live`, ["infoset", token]);
      const send = (message: object): void => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
      };
      socket.onopen = () => send({ run, state });
      socket.onmessage = (event) => heard(JSON.parse(event.data as string));
      socket.onclose = over;
      return { look: (at) => send({ state: at }), stop: () => send({ stop: 1 }) };
    },
  };
}

/** What the page needs of a widget's model; anywidget gives it. */
export interface KernelModel {
  send(message: object): void;
  on(event: string, heard: (message: KernelMessage) => void): void;
  off(event: string, heard: (message: KernelMessage) => void): void;
}

/** A message of the kernel: the answer or failure of a question, a message of a run, or its end. */
interface KernelMessage {
  id: string;
  answer?: unknown;
  error?: string;
  live?: unknown;
  over?: boolean;
}

const GONE = "the kernel has ended: run the cell again";

/** Messages with numbers, so that answers find their questions; several views may share a model. */
export function notebookTransport(model: KernelModel): Transport & { close(): void } {
  const view = Math.random().toString(36).slice(2);
  const waiting = new Map<string, (message: KernelMessage) => void>();
  const running = new Set<Live>();
  let last = 0;
  const heard = (message: KernelMessage): void => waiting.get(message.id)?.(message);
  const gone = (): void => {
    for (const [id, answered] of [...waiting]) answered({ id, error: GONE, live: { error: GONE }, over: true });
  };
  const stop = (): void => running.forEach((run) => run.stop());
  const sent = (content: object, answered: (message: KernelMessage) => void): string => {
    const id = `${view}.${++last}`;
    waiting.set(id, answered);
    model.send({ id, ...content });
    return id;
  };
  model.on("msg:custom", heard);
  model.on("comm_live_update", gone);
  addEventListener("pagehide", stop);
  return {
    ask<N extends Name>(question: Question<N>): Promise<Answer<N>> {
      return new Promise((resolve, reject) => {
        const id = sent({ ask: question }, ({ answer, error }) => {
          waiting.delete(id);
          if (error) reject(new Error(error));
          else resolve(answer as Answer<N>);
        });
      });
    },
    watch(run, state, told, over) {
      const id = sent({ live: { run, state } }, (message) => {
        if (message.live) told(message.live);
        if (!message.over) return;
        waiting.delete(id);
        running.delete(live);
        over();
      });
      const live: Live = {
        look: (at) => model.send({ id, live: { state: at } }),
        stop: () => model.send({ id, live: { stop: 1 } }),
      };
      running.add(live);
      return live;
    },
    close() {
      stop();
      model.off("msg:custom", heard);
      model.off("comm_live_update", gone);
      removeEventListener("pagehide", stop);
    },
  };
}

/** Names in the order that the saved page used, so that equal questions are equal texts. */
function key(question: Question): string {
  return JSON.stringify(Object.fromEntries(Object.entries(question).sort(([a], [b]) => (a < b ? -1 : 1))));
}

export function fileTransport(packed: string): Transport {
  const read = async (): Promise<Record<string, unknown>> => {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return (await new Response(stream).json()) as Record<string, unknown>;
  };
  const answers = read();
  const paged: Name[] = ["children", "differences", "histories", "infostates", "form_children", "form_infostates"];
  return {
    async ask<N extends Name>(question: Question<N>): Promise<Answer<N>> {
      const asked = paged.includes(question.ask) ? { start: 0, ...question } : question;
      const found = (await answers)[key(asked)];
      if (found === undefined) throw new Error("this was not saved in the page");
      return found as Answer<N>;
    },
    watch: null,
  };
}
