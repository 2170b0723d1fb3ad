"use strict";
// The list of collaborations: sorted, filtered and searched where it is shown. Only
// the rows in view are in the page. What is chosen is in the address.
(() => {
  const root = document.getElementById("list");
  if (!root) return;
  const $ = (id) => document.getElementById(id);
  const notSet = "not set"; // what a facet calls a setting that a condition does not have
  const phone = matchMedia("(max-width: 40rem)").matches;
  let tall = phone ? 124 : 44; // pixels of a row, as the style sheet has it
  const query = new URLSearchParams(location.search);
  const embedded = $("list-data");
  let columns = [], questions = [], shared = "", visible = [], rows = [], shown = [], texts = [], said = null, order = { by: -1, down: false }, at = -1;
  const chosen = new Set((query.get("only") ?? "").split(",").filter((w) => w)); // chips that are pressed

  const number = (v) => (Math.abs(v) >= 1e3 ? Math.round(v).toLocaleString("en") : String(+v.toPrecision(4))).replace("-", "−");
  const writes = { // by kind of column
    number,
    question: (v) => questions[v],
    share: (v) => Math.round(100 * v) + " %",
    usd: (v) => v === 0 ? "$0" : v < 1e-4 ? "<$0.0001" : "$" + (v < 1 ? v.toFixed(4) : v < 100 ? v.toFixed(2) : number(v)),
    seconds: (v) => v < 60 ? v.toFixed(v < 10 ? 1 : 0) + " s" : Math.floor(v / 60) + ":" + String(Math.floor(v % 60)).padStart(2, "0") + " min",
    flag: (v) => v ? "yes" : "no",
  };
  const plain = (value, i) => value === null || value === "" ? "–" : typeof value === "string" ? value : (writes[columns[i].kind] ?? String)(value);
  const isNumber = (column) => ["number", "share", "usd", "seconds"].includes(column.kind);
  const of = (name) => columns.findIndex((c) => c.name === name);

  const link = (id) => {
    const { base, ending = "" } = root.dataset; // where each transcript has a page of its own
    if (base === undefined && embedded) return "#" + id;
    return (base ?? "") + encodeURIComponent(id) + ending + (embedded ? "" : location.search);
  };

  // What all of several questions begin with, in whole words.
  const prefixOf = (all) => {
    if (all.length < 2) return "";
    let n = 0;
    while (n < all[0].length && all.every((q) => q[n] === all[0][n])) n++;
    n = all[0].slice(0, n).lastIndexOf(" ") + 1;
    return n < 12 ? "" : all[0].slice(0, n);
  };

  const cell = (row, i, isFirst) => {
    const td = document.createElement("td"), column = columns[i], text = plain(row[i], i);
    const isSame = column.name === "right answer" && row[i] === row[of("group's answer")]; // nothing to compare
    td.className = (isNumber(column) ? "n " : "") + (isSame ? "quiet " : "") + ({ "group's answer": "answer", "right answer": "right-answer" }[column.name] ?? column.kind ?? "");
    td.title = text;
    td.dataset.column = column.name;
    const place = isFirst ? Object.assign(document.createElement("a"), { href: link(row[0]) }) : column.kind === "mark" ? document.createElement("span") : null;
    if (place) {
      place.textContent = column.kind === "question" ? text.slice(shared.length) : text;
      td.append(place);
    } else {
      td.textContent = text;
    }
    if (column.kind === "mark") place.className = "pill " + text.split(" ")[0];
    return td;
  };

  const draw = () => {
    const body = root.tBodies[0], view = root.parentElement;
    const all = matchMedia("print").matches || shown.length <= 200;
    const first = all ? 0 : Math.max(0, Math.floor(view.scrollTop / tall) - 10);
    const last = all ? shown.length : Math.min(shown.length, first + Math.ceil(view.clientHeight / tall) + 20);
    const space = (n) => {
      const tr = document.createElement("tr"), td = document.createElement("td");
      tr.setAttribute("aria-hidden", "true");
      td.colSpan = visible.length;
      td.className = "space";
      td.style.setProperty("height", n * tall + "px");
      tr.append(td);
      return tr;
    };
    const list = [], linked = visible.find((i) => columns[i].kind === "question") ?? visible[0], focused = body.contains(document.activeElement);
    if (first > 0) list.push(space(first));
    for (let i = first; i < last; i++) {
      const tr = document.createElement("tr");
      tr.setAttribute("aria-rowindex", i + 2);
      visible.forEach((j) => tr.append(cell(rows[shown[i]], j, j === linked)));
      list.push(tr);
    }
    if (last < shown.length) list.push(space(shown.length - last));
    body.replaceChildren(...list);
    if (focused) body.querySelector(`tr[aria-rowindex="${at + 2}"] a`)?.focus({ preventScroll: true });
  };

  // To the row that comes after, or before, the present one.
  const step = (by) => {
    if (!shown.length) return;
    const view = root.parentElement, top = (at = Math.min(shown.length - 1, Math.max(0, at + by))) * tall;
    const low = top + 3 * tall - view.clientHeight;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (low > view.scrollTop) view.scrollTop = low;
    draw();
    root.tBodies[0].querySelector(`tr[aria-rowindex="${at + 2}"] a`)?.focus({ preventScroll: true });
  };

  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, select, textarea, dialog")) return;
    if (embedded && !document.getElementById("list").checkVisibility()) return;
    if (e.key === "j" || e.key === "k") step(e.key === "j" ? 1 : -1);
    else if (e.key === "/") $("words").focus();
    else return;
    e.preventDefault();
  });

  const stacked = ["score", "right answer", "group's answer", "question", "condition", "mark"]; // what a phone has room for
  const marks = ["right", "partly right", "wrong", "decided", "undecided", "failed", "stopped", "unfinished", "run again"];
  const flags = { // what else can be asked of a row
    flipped: (row) => row[of("flipped")] === true,
    cut: (row) => row[of("cut answers")] > 0,
    "re-asked": (row) => row[of("re-asked turns")] > 0,
  };

  const meanings = { flipped: "the last decision is not the first", cut: "an answer was cut at its length limit", "re-asked": "an answer could not be used, and was asked for again" };

  const compare = (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // absent ones last
    const c = typeof a !== "string" ? a - b : a.localeCompare(b, undefined, { numeric: true });
    return order.down ? -c : c;
  };

  const filter = () => {
    const words = $("words").value.toLowerCase().split(/\s+/).filter((w) => w !== "");
    const settings = Array.from(document.querySelectorAll("#facets select"), (s) => [Number(s.dataset.column), s.value]).filter(([, v]) => v !== "").map(([c, v]) => [c, v === notSet ? "" : v]);
    shown = [];
    rows.forEach((row, i) => {
      if (passes(row) && settings.every(([c, v]) => String(row[c] ?? "") === v) && words.every((w) => texts[i].includes(w)) && (!said || said.has(row[0]))) shown.push(i);
    });
    const key = (i) => {
      const column = columns[order.by], value = rows[i][order.by];
      return column.kind === "question" ? questions[value] : value === "reused" && isNumber(column) ? 0 : value;
    };
    if (order.by >= 0) shown.sort((a, b) => compare(key(a), key(b)) || a - b);
    at = -1;
    keep();
    root.setAttribute("aria-rowcount", shown.length + 1);
    $("shown").textContent = shown.length + " of " + rows.length;
    draw();
  };

  // For the pages of collaborations, which go on to the next in this order and say of what they are.
  const listed = () => ({ ids: shown.map((i) => rows[i][0]), of: Array.from(chosen).join(", ") || (shown.length < rows.length ? "filtered" : "collaborations") });
  window.listed = listed;
  const keep = () => {
    if (!rows.length || link("x").startsWith("#")) return;
    try {
      sessionStorage.setItem("listed " + new URL(link("x"), location.href).pathname.replace(/[^/]*$/, ""), JSON.stringify(listed()));
    } catch { /* without it, pages have the order of the plan */ }
  };

  const isMark = (name) => marks.includes(name);
  const passes = (row) => {
    const wanted = Array.from(chosen);
    return (!wanted.some(isMark) || chosen.has(row[of("mark")])) && wanted.every((w) => isMark(w) || flags[w]?.(row) !== false);
  };

  const remember = () => {
    const now = new URLSearchParams();
    if (chosen.size) now.set("only", Array.from(chosen).join(","));
    const boxes = Array.from(document.querySelectorAll("#columns input"));
    if (boxes.some((b) => b.checked === Boolean(columns[b.dataset.column].hidden))) now.set("columns", boxes.filter((b) => b.checked).map((b) => columns[b.dataset.column].name).join(","));
    if ($("words").value) now.set("words", $("words").value);
    if ($("said").value) now.set("said", $("said").value);
    document.querySelectorAll("#facets select").forEach((s) => { if (s.value) now.set("is." + columns[s.dataset.column].name, s.value); });
    if (order.by >= 0) now.set("by", (order.down ? "-" : "") + columns[order.by].name);
    const text = now.toString();
    history.replaceState(null, "", location.pathname + (text && !embedded ? "?" + text : "") + location.hash);
  };

  const changed = () => { remember(); $("list").parentElement.scrollTop = 0; filter(); };

  let asked = 0;
  const search = async () => {
    const wanted = $("said").value.trim(), mine = ++asked;
    let found = null;
    if (wanted !== "") {
      $("shown").textContent = "searching…";
      found = await window.searchTexts(wanted).catch((e) => { $("shown").textContent = String(e); return undefined; });
    }
    if (mine !== asked || found === undefined) return;
    said = found;
    changed();
  };

  window.searchTexts ??= async (wanted) => {
    const answer = await fetch("search?" + new URLSearchParams({ said: wanted }));
    if (!answer.ok) throw new Error(await answer.text());
    return new Set(await answer.json());
  };

  const head = () => {
    const tr = document.createElement("tr");
    visible.forEach((i) => {
      const column = columns[i];
      const th = document.createElement("th"), button = document.createElement("button");
      th.scope = "col";
      th.className = isNumber(column) ? "n" : "";
      button.textContent = column.name;
      button.type = "button";
      button.addEventListener("click", () => { order.by === i && order.down ? sort(-1, false) : sort(i, order.by === i); changed(); });
      th.append(button);
      tr.append(th);
    });
    root.tHead.replaceChildren(tr);
  };

  const choose = () => {
    visible = Array.from(document.querySelectorAll("#columns input:checked"), (b) => Number(b.dataset.column));
    if (phone) visible.sort((a, b) => stacked.indexOf(columns[b].name) - stacked.indexOf(columns[a].name)); // the lines of a row, from the last
    head();
    sort(order.by, order.down);
  };

  const sort = (by, down) => {
    order = { by, down };
    Array.from(root.tHead.rows[0].cells, (th, j) => visible[j] === by ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
  };

  const facets = () => {
    columns.forEach((column, i) => {
      if (!column.facet) return;
      const count = new Map();
      rows.forEach((row) => count.set(row[i] || notSet, (count.get(row[i] || notSet) ?? 0) + 1));
      if (count.size < 2 || count.size > 200) return;
      const label = document.createElement("label"), select = document.createElement("select");
      select.dataset.column = i;
      select.append(new Option("all", ""));
      Array.from(count.keys()).sort((a, b) => String(a).localeCompare(String(b), undefined, { numeric: true })).forEach((v) => select.append(new Option(`${v} (${count.get(v)})`, v)));
      select.value = query.get("is." + column.name) ?? "";
      if (select.selectedIndex < 0) select.value = "";
      select.addEventListener("change", changed);
      label.append(column.name + " ", select);
      $("facets").append(label);
    });
  };

  const columnBoxes = () => {
    const wanted = query.get("columns")?.split(","), same = [], empty = [];
    columns.forEach((column, i) => {
      if (i > 0 && !column.hidden && column.kind !== "question" && rows.length > 1 && rows.every((row) => row[i] === rows[0][i])) {
        (rows[0][i] === null ? empty : same).push(column.name + (rows[0][i] === null ? "" : " " + plain(rows[0][i], i)));
        column.hidden = true;
      }
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.dataset.column = i;
      box.checked = wanted ? wanted.includes(column.name) : !column.hidden;
      box.addEventListener("change", () => { choose(); remember(); draw(); });
      label.append(box, " " + column.name);
      $("columns").append(label);
    });
    $("same").textContent = (shared ? `Every question begins with “${shared.trim()}”. ` : "") + (same.length ? "The same in all: " + same.join(", ") + ". " : "") + (empty.length ? "Empty: " + empty.join(", ") + "." : "");
  };

  const chips = () => {
    const add = (name, n) => {
      if (n === 0) return chosen.delete(name);
      const button = document.createElement("button");
      button.type = "button";
      button.className = "chip " + name.split(" ")[0];
      button.textContent = name + " " + n.toLocaleString("en");
      button.setAttribute("aria-pressed", chosen.has(name));
      button.addEventListener("click", () => {
        chosen.has(name) ? chosen.delete(name) : chosen.add(name);
        button.setAttribute("aria-pressed", chosen.has(name));
        changed();
      });
      $("marks").append(button);
    };
    marks.forEach((m) => add(m, rows.filter((row) => row[of("mark")] === m).length));
    for (const [name, is] of Object.entries(flags)) add(name, rows.filter(is).length);
    $("meanings").textContent = Object.entries(meanings).filter(([name]) => rows.some(flags[name])).map(([name, means]) => name + ": " + means).join(" · ");
  };

  const start = (data) => {
    ({ columns, questions, rows } = data);
    questions ??= [];
    if (phone) columns.forEach((column) => { column.hidden ||= !stacked.includes(column.name); });
    shared = prefixOf(questions);
    if (questions.every((q) => q.length - shared.length < 40)) {
      root.classList.add("short");
      if (!phone) tall = 32;
    }
    texts = rows.map((row) => row.map(plain).join(" ").toLowerCase());
    $("problem").textContent = data.problem;
    $("problem").hidden = !data.problem;
    chips();
    facets();
    columnBoxes();
    choose();
    const by = (query.get("by") ?? "").replace(/^-/, ""), column = of(by);
    if (column >= 0) sort(column, query.get("by").startsWith("-"));
    $("words").value = query.get("words") ?? "";
    $("said").value = query.get("said") ?? "";
    $("words").addEventListener("input", changed);
    let wait = 0;
    $("said").addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(search, 150); });
    root.tBodies[0].addEventListener("focusin", (e) => { at = e.target.closest("tr").ariaRowIndex - 2; });
    root.parentElement.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
    addEventListener("beforeprint", draw);
    addEventListener("afterprint", draw);
    addEventListener("resize", draw);
    filter();
    if ($("said").value) search();
    root.dataset.ready = Math.round(performance.now());
  };

  if (embedded) start(JSON.parse(embedded.textContent));
  else fetch(root.dataset.rows).then((r) => r.ok ? r.json() : r.text().then((t) => { throw new Error(t); })).then(start, (e) => { $("shown").textContent = String(e); });
})();
