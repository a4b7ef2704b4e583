// The entrance of the page: served, in a file, or as a widget of a notebook.

import { render } from "preact";
import { token } from "./address";
import { Page } from "./app";
import "./style.css";
import { type KernelModel, fileTransport, notebookTransport, serverTransport } from "./transport";

const host = document.getElementById("infoset-page");
if (host) {
  const saved = document.getElementById("infoset-answers")?.textContent;
  const transport = saved ? fileTransport(saved.trim()) : serverTransport(token());
  render(<Page transport={transport} titled />, host);
}

/** What anywidget calls to show the page in a notebook; it calls the returned function at the end. */
function show({ model, el }: { model: KernelModel; el: HTMLElement }): () => void {
  // Keys are for the page: JupyterLab looks for its shortcuts before and after they arrive here.
  el.dataset.lmSuppressShortcuts = "true";
  el.addEventListener("keydown", (event) => event.stopPropagation());
  const transport = notebookTransport(model);
  render(<Page transport={transport} titled={false} />, el);
  return () => {
    render(null, el);
    transport.close();
  };
}

export default { render: show };
