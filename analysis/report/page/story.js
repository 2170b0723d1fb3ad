"use strict";
// Transcripts: those that are packed are opened, prompts are fetched when they are
// asked for, and agents that move can be played round by round.
(() => {
  const blocks = Array.from(document.querySelectorAll("script.transcripts"));
  const opened = new Map(); // block to its transcripts by name

  const unpack = async (block) => {
    if (!opened.has(block)) {
      const bytes = Uint8Array.from(atob(block.textContent.trim()), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      opened.set(block, await new Response(stream).json());
    }
    return opened.get(block);
  };

  const parse = (html) => new DOMParser().parseFromString(html, "text/html").body;

  const blockOf = (name) => blocks.find((b) => b.dataset.ids.split(" ").includes(name));

  // Links to the collaborations before and after one, in the order in which the list was last
  // shown; without it, what the page has already stays.
  const addSteps = (nav, id, link) => {
    let all = window.listed?.();
    try {
      all ??= JSON.parse(sessionStorage.getItem("listed " + location.pathname.replace(/[^/]*$/, "")));
    } catch { /* a browser may keep nothing */ }
    const ids = all?.ids ?? [], i = ids.indexOf(id);
    if (i < 0) return;
    const step = (rel, text, to) => to === undefined ? [] : [Object.assign(document.createElement("a"), { rel, href: link(to), textContent: text })];
    nav.replaceChildren(...step("prev", "← previous", ids[i - 1]), `${i + 1} of ${ids.length} ${all.of}`, ...step("next", "next →", ids[i + 1]));
    nav.hidden = false;
  };

  const nav = document.querySelector("nav.step");
  if (nav) {
    addSteps(nav, nav.dataset.of, (id) => encodeURIComponent(id) + nav.dataset.ending);
    addEventListener("keydown", (e) => {
      const rel = { j: "next", k: "prev" }[e.key];
      if (rel && !e.ctrlKey && !e.metaKey && !e.altKey && !e.target.closest("input, select, textarea")) nav.querySelector(`[rel=${rel}]`)?.click();
    });
  }

  // A transcript that is packed, below a title.
  const fill = async (place, name, ...title) => {
    try {
      place.replaceChildren(...title, ...parse((await unpack(blockOf(name)))[name]).childNodes);
    } catch (e) {
      place.replaceChildren(...title, "It cannot be unpacked: " + e + ". A newer browser may do it.");
    }
    prepare(place);
  };

  const open = async () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (target instanceof HTMLDetailsElement) {
      target.open = true;
      target.scrollIntoView();
      return;
    }
    const place = document.getElementById("transcript"), title = document.createElement("h3"), steps = document.createElement("nav");
    title.textContent = name;
    if (!place || !name || target) return;
    if (!blockOf(name)) {
      place.replaceChildren(title, "Its transcript is not in this page.");
      place.hidden = false;
      place.scrollIntoView();
      return;
    }
    steps.className = "step";
    steps.setAttribute("aria-label", "In the order of the list");
    addSteps(steps, name, (id) => "#" + id);
    await fill(place, name, steps, title);
    place.hidden = false;
    place.scrollIntoView();
    place.focus({ preventScroll: true });
  };

  // A report searches in what it keeps of all that was said.
  const said = new Map();
  if (document.getElementById("list-data")) window.searchTexts = async (wanted) => {
    const text = wanted.toLowerCase(), found = new Set();
    for (const block of document.querySelectorAll("script.said")) {
      for (const [name, all] of Object.entries(await unpack(block))) {
        if (!said.has(name)) said.set(name, all.toLowerCase());
        if (said.get(name).includes(text)) found.add(name);
      }
    }
    return found;
  };

  const play = (figure) => {
    const last = Number(figure.dataset.rounds), marks = figure.querySelectorAll("[data-round]");
    const box = document.createElement("p"), button = document.createElement("button"), slider = document.createElement("input"), says = document.createElement("output");
    box.className = "player";
    slider.type = "range";
    slider.min = 1;
    slider.max = slider.value = last;
    slider.setAttribute("aria-label", "Round");
    button.type = "button";
    button.textContent = "Play";
    const show = () => {
      marks.forEach((m) => {
        const round = Number(m.dataset.round);
        m.classList.toggle("later", round > slider.value);
        m.classList.toggle("now", round === Number(slider.value));
      });
      says.textContent = "round " + slider.value + " of " + last;
    };
    let timer = 0;
    const stop = () => { clearInterval(timer); timer = 0; button.textContent = "Play"; };
    button.addEventListener("click", () => {
      if (timer) return stop();
      if (Number(slider.value) === last) slider.value = 1;
      show();
      button.textContent = "Stop";
      timer = setInterval(() => {
        slider.value = Number(slider.value) + 1;
        show();
        if (Number(slider.value) === last) stop();
      }, 400);
    });
    slider.addEventListener("input", () => { stop(); show(); });
    box.append(button, slider, says);
    figure.append(box);
    show();
  };

  // How a turn was asked for: fetched, or unpacked from the page, where each line is kept once.
  const askedNodes = async (details) => {
    const { entry } = details.dataset, server = details.closest("[data-asked-at]");
    if (server) {
      const answer = await fetch(server.dataset.askedAt + entry), text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return [...parse(text).childNodes];
    }
    const name = details.closest("[data-story]").dataset.story;
    const block = Array.from(document.querySelectorAll("script.asked")).find((b) => b.dataset.ids.split(" ").includes(name));
    const { lines, entries } = (await unpack(block))[name], asked = entries[entry];
    const prompt = (asked?.prompt ?? []).flatMap(({ role, runs }) => {
      const title = document.createElement("h5"), pre = document.createElement("pre"), text = [];
      for (let i = 0; i < runs.length; i += 2) text.push(...lines.slice(runs[i], runs[i] + runs[i + 1]));
      title.textContent = role;
      pre.textContent = text.join("\n");
      pre.tabIndex = 0;
      return [title, pre];
    });
    return [...parse(asked?.calls ?? "Nothing is stored of this entry.").childNodes, ...prompt, ...parse(asked?.answers ?? "").childNodes];
  };

  const ask = async (details) => {
    if (!details.open || details.dataset.asked) return;
    details.dataset.asked = "yes";
    const place = document.createElement("div");
    place.textContent = "reading…";
    details.append(place);
    try {
      place.replaceChildren(...await askedNodes(details));
    } catch (e) {
      place.textContent = String(e);
      delete details.dataset.asked;
    }
  };

  // A transcript can be copied as text, as much of it as is open.
  const addCopy = (verdict) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      button.remove(); // it is no part of the text
      const story = verdict.closest(".story");
      story.classList.add("whole"); // rounds that are off the screen are not drawn, and would be left out
      const text = story.innerText;
      story.classList.remove("whole");
      verdict.before(button);
      await navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }, (e) => { button.textContent = String(e); });
      button.focus();
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    verdict.before(button);
  };

  const prepared = new WeakMap(); // a figure to how it was served, a course to its width
  const prepare = (root) => {
    root.querySelectorAll(".story > .verdict:not(.copy + *)").forEach(addCopy);
    root.querySelectorAll("figure[data-rounds]").forEach((f) => {
      if (prepared.has(f)) return;
      prepared.set(f, f.outerHTML);
      play(f);
    });
    root.querySelectorAll(".course").forEach((c) => {
      if (prepared.get(c) !== c.scrollWidth) c.scrollLeft = c.scrollWidth; // what came out is at its end
      prepared.set(c, c.scrollWidth);
    });
  };
  document.addEventListener("toggle", (e) => { if (e.target.matches("details.asked")) ask(e.target); }, true);

  // The served children of an element: neither the button that was added, nor breaks between lines.
  const nodesOf = (e) => Array.from(e.childNodes).filter((n) => n.nodeType === Node.ELEMENT_NODE ? !n.matches(".copy") : n.data.trim() || !n.data.includes("\n"));

  // The id of a node within its collaboration, whose own id changes when it ends.
  const placeOf = (n) => n.id?.slice(n.closest(".story").dataset.story.length);

  // Makes what is shown what was served, node by node: what is the same is left alone, and with it what is
  // open, selected, has the focus or is just being clicked.
  const update = (shown, served) => {
    const old = nodesOf(shown);
    let at = 0;
    for (const now of nodesOf(served)) {
      const later = now.id ? old.findIndex((n, i) => i > at && placeOf(n) === placeOf(now)) : -1;
      while (at < later) old[at++].remove();
      const was = old[at];
      if (was?.nodeName !== now.nodeName || placeOf(was) !== placeOf(now)) {
        shown.insertBefore(now, was ?? null);
        continue;
      }
      at++;
      if (now.nodeType !== Node.ELEMENT_NODE) {
        if (was.data !== now.data) was.data = now.data;
      } else if (now.matches("figure[data-rounds]")) {
        if (prepared.get(was) !== now.outerHTML) was.replaceWith(now);
      } else {
        for (const { name } of Array.from(was.attributes)) if (!now.hasAttribute(name) && name !== "open" && name !== "data-asked") was.removeAttribute(name);
        for (const { name, value } of now.attributes) if (was.getAttribute(name) !== value) was.setAttribute(name, value);
        if (!now.matches("details.asked")) update(was, now);
      }
    }
    old.slice(at).forEach((n) => n.remove());
  };

  // What has not ended is read again every few seconds, or less often where that takes long.
  const follow = async (article) => {
    const story = article.querySelector(".story");
    if (!story.querySelector(":scope > .verdict[data-live]")) return;
    const again = (ms) => setTimeout(() => follow(article), ms), began = performance.now();
    if (document.hidden) return again(3000);
    const answer = await fetch(location.href).catch(() => null);
    again(Math.max(3000, 20 * (performance.now() - began)));
    if (!answer?.ok) return;
    const now = parse(await answer.text()).querySelectorAll(".story")[Array.from(document.querySelectorAll(".story")).indexOf(story)];
    if (!now) return;
    update(story, now);
    story.dataset.story = now.dataset.story;
    prepare(story);
  };
  if (nav) document.querySelectorAll("article[data-asked-at]").forEach(follow);

  addEventListener("hashchange", open);
  prepare(document);
  const own = document.getElementById("own"); // of a page for one transcript
  if (own) fill(own, own.dataset.id).then(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
  else open();
})();
