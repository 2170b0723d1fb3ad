"use strict";
// The states of campaigns, as the server sends them, and the buttons that steer.
(() => {
  const root = document.getElementById("states"), link = document.getElementById("link");
  const usd = (v) => "$" + v.toFixed(4);

  const sum = (s) => {
    const parts = [`${s.done} of ${s.cells} ended`];
    if (s.failed) parts.push(`${s.failed} of them failed or stopped`);
    parts.push(`${Math.floor(100 * s.share)}% done`, usd(s.usd) + (s.cap_usd === null ? "" : " of at most " + usd(s.cap_usd)));
    if (s.calls_per_second !== null) parts.push(`${s.calls_per_second.toFixed(1)} calls/s`);
    if (s.left) parts.push("about " + s.left + " left");
    return s.state === "unknown" ? "" : parts.join(" · ");
  };

  const show = (article, s) => {
    const badge = article.querySelector(".badge"), bar = article.querySelector("progress");
    badge.textContent = s.state;
    badge.className = "badge " + s.state;
    bar.value = s.share;
    article.querySelector(".sum").textContent = sum(s);
    const lines = article.querySelector(".lines");
    if (!lines) return;
    lines.replaceChildren(...s.lines.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    const table = article.querySelector(".conditions");
    if (s.conditions) table.tBodies[0].replaceChildren(...s.conditions.map((c) => {
      const tr = document.createElement("tr"), name = document.createElement("th"), bar = document.createElement("td"), n = document.createElement("td");
      name.scope = "row";
      name.textContent = c.name;
      bar.append(Object.assign(document.createElement("progress"), { max: c.cells, value: c.done, ariaLabel: c.name }));
      n.className = "n";
      n.textContent = `${c.done} of ${c.cells}`;
      tr.append(name, bar, n);
      return tr;
    }));
    article.querySelectorAll("[data-do]").forEach((b) => {
      const does = { running: ["pause", "tune", "cancel"], paused: ["resume", "tune", "cancel"], interrupted: ["tune"] }[s.state] ?? [];
      b.disabled = !does.includes(b.dataset.do);
    });
  };

  let ended = -1;
  const events = new EventSource(root.dataset.events);
  events.onmessage = (e) => {
    link.textContent = "";
    for (const s of JSON.parse(e.data)) {
      const article = Array.from(root.children).find((a) => a.dataset.campaign === s.name);
      if (!article) { location.reload(); return; } // a new campaign
      show(article, s);
      if (found && ended >= 0 && s.done !== ended) late();
      ended = s.done;
    }
  };
  events.onerror = () => { link.textContent = "The program that serves this page does not answer; it is asked again. roundtable view starts it."; };

  const found = document.getElementById("found");
  const read = async () => {
    try {
      const answer = await fetch(found.dataset.from), text = await answer.text();
      if (!answer.ok) throw new Error(text);
      found.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    } catch (e) {
      found.textContent = String(e);
    }
    found.dataset.ready = "yes";
  };
  // Results follow what ends, but are not read more than once in ten seconds.
  let waiting = 0;
  const late = () => { waiting ||= setTimeout(() => { waiting = 0; read(); }, 10000); };
  if (found) read();

  const dialog = document.getElementById("confirm");
  if (!dialog) return;
  document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => {
    const tuning = document.getElementById("tuning");
    tuning.hidden = tuning.disabled = button.dataset.do !== "tune";
    document.getElementById("question").textContent = button.dataset.ask;
    dialog.returnValue = "no";
    dialog.onclose = async () => {
      if (dialog.returnValue !== "yes") return;
      const fields = new URLSearchParams(new FormData(dialog.querySelector("form")));
      try {
        const answer = await fetch(button.dataset.do, { method: "POST", body: fields });
        link.textContent = await answer.text();
      } catch (e) {
        link.textContent = String(e);
      }
    };
    dialog.showModal();
  }));
})();
