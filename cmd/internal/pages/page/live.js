"use strict";
// The states of campaigns, as the server sends them, and the buttons that steer.
(() => {
  const root = document.getElementById("states"), link = document.getElementById("link");
  const usd = (v) => v === 0 ? "$0" : v < 1e-4 ? "<$0.0001" : "$" + (v < 1 ? v.toFixed(4) : v.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }));

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
      if (b.dataset.do === "resume") b.hidden = Boolean(s.resume);
    });
    const resume = article.querySelector(".resume"), command = resume.querySelector("code");
    resume.hidden = !s.resume;
    if (command.textContent !== (s.resume ?? "")) command.textContent = s.resume ?? "";
  };

  let limits = [], ended = -1, events = null, before = "";
  const said = document.getElementById("answer");

  const received = (e) => {
    link.textContent = "";
    for (const s of JSON.parse(e.data)) {
      const article = Array.from(root.children).find((a) => a.dataset.campaign === s.name);
      if (!article) { location.reload(); return; } // a new campaign
      show(article, s);
      limits = s.limits ?? [];
      if (said && before && s.state !== before) said.textContent = ""; // it was about the state before
      before = s.state;
      if (found && ended >= 0 && s.done !== ended) readIn(10); // results follow what ends
      ended = s.done;
    }
  };

  // The server may have gone for a while. A page that nobody sees asks for nothing: a
  // browser has six connections for all of them.
  const connect = () => {
    events?.close();
    if (document.hidden) return;
    events = new EventSource(root.dataset.events);
    events.addEventListener("message", received);
    events.addEventListener("problem", (e) => { link.textContent = JSON.parse(e.data); });
    events.addEventListener("error", () => {
      link.textContent = "The program that serves this page does not answer; it is asked again. If it has ended, start roundtable view and open the address that it prints.";
      if (events.readyState === EventSource.CLOSED) setTimeout(connect, 5000);
    });
  };
  document.addEventListener("visibilitychange", connect);

  const found = document.getElementById("found");
  const read = async (again) => {
    try {
      const answer = await fetch(found.dataset.from + (again ? (found.dataset.from.includes("?") ? "&" : "?") + "again=yes" : "")), text = await answer.text();
      if (!answer.ok) throw new Error(text);
      const open = Array.from(found.querySelectorAll("details[id][open]"), (d) => d.id);
      found.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
      open.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
      const wait = answer.headers.get("Retry-After");
      if (wait) readIn(Number(wait));
    } catch (e) {
      found.textContent = String(e);
    }
    found.dataset.ready = "yes";
  };
  let waiting = 0;
  const readIn = (seconds) => { waiting ||= setTimeout(() => { waiting = 0; read(true); }, 1000 * seconds); };
  found?.addEventListener("click", (e) => { // the contents open what is folded
    const to = e.target.closest(".contents a");
    if (to) found.querySelector("details" + to.hash)?.setAttribute("open", "");
  });
  if (found) read(false);
  connect();

  const dialog = document.getElementById("confirm");
  if (!dialog) return;
  const copy = document.querySelector(".resume button");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.querySelector(".resume code").textContent);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy the command"; }, 2000);
  });
  const tuning = document.getElementById("tuning"), model = tuning.querySelector("select");
  const present = () => tuning.querySelectorAll("[data-limit]").forEach((input) => {
    const name = input.dataset.limit.replace("*", model?.value);
    input.placeholder = limits.find((l) => l.name === name)?.value ?? "none";
  });
  model?.addEventListener("change", present);
  document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => {
    const tunes = button.dataset.do === "tune";
    said.textContent = "";
    tuning.hidden = !tunes;
    tuning.querySelectorAll("fieldset").forEach((f) => { f.disabled = !tunes; });
    tuning.querySelectorAll("input").forEach((i) => { i.value = ""; });
    present();
    document.getElementById("question").textContent = button.dataset.ask;
    document.getElementById("yes").textContent = button.dataset.yes;
    dialog.returnValue = "no";
    dialog.onclose = async () => {
      if (dialog.returnValue !== "yes") return;
      const fields = new URLSearchParams(new FormData(dialog.querySelector("form")));
      try {
        const answer = await fetch(button.dataset.do, { method: "POST", body: fields });
        const text = await answer.text();
        said.textContent = button.dataset.do === "cancel" && before === "done" ? "" : text;
      } catch (e) {
        said.textContent = String(e);
      }
    };
    dialog.showModal();
  }));
})();
