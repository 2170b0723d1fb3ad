"use strict";
// The list of collaborations: sorted, filtered and searched where it is shown. Only
// the rows in view are in the page. What is chosen is in the address.
(() => {
  const root = document.getElementById("list");
  if (!root) return;
  const $ = (id) => document.getElementById(id);
  const notSet = "not set"; // what a facet calls a setting that a condition does not have
  const tall = 32; // pixels of a row, as the style sheet has it
  const query = new URLSearchParams(location.search);
  const embedded = $("list-data");
  let columns = [], visible = [], rows = [], shown = [], texts = [], said = null, order = { by: -1, down: false };

  const plain = (value) => value === null ? "–" : typeof value === "number" ? String(+value.toPrecision(5)) : value;

  const link = (id) => {
    const { base, ending = "" } = root.dataset; // where each transcript has a page of its own
    if (base === undefined && embedded) return "#" + id;
    return (base ?? "") + encodeURIComponent(id) + ending + (embedded ? "" : location.search);
  };

  // All settings of a row's condition.
  const details = (row) => columns.flatMap((c, i) => c.detail && row[i] ? [c.name + ": " + plain(row[i])] : []).join("\n");

  const cell = (row, i) => {
    const td = document.createElement("td");
    const column = columns[i];
    if (column.number) td.className = "n";
    if (column.name === "status") td.className = "status " + row[i].split(",")[0];
    if (i === 0) {
      const a = document.createElement("a");
      a.href = link(row[0]);
      a.textContent = row[0];
      td.append(a);
    } else {
      td.textContent = plain(row[i]);
      td.title = column.name === "condition" ? details(row) : td.textContent;
    }
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
    const list = [];
    if (first > 0) list.push(space(first));
    for (let i = first; i < last; i++) {
      const tr = document.createElement("tr");
      tr.setAttribute("aria-rowindex", i + 2);
      visible.forEach((j) => tr.append(cell(rows[shown[i]], j)));
      list.push(tr);
    }
    if (last < shown.length) list.push(space(shown.length - last));
    body.replaceChildren(...list);
  };

  const compare = (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // absent ones last
    const c = typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
    return order.down ? -c : c;
  };

  const filter = () => {
    const words = $("words").value.toLowerCase().split(/\s+/).filter((w) => w !== "");
    const chosen = Array.from(document.querySelectorAll("#facets select"), (s) => [Number(s.dataset.column), s.value]).filter(([, v]) => v !== "").map(([c, v]) => [c, v === notSet ? "" : v]);
    shown = [];
    rows.forEach((row, i) => {
      if (chosen.every(([c, v]) => String(row[c] ?? "") === v) && words.every((w) => texts[i].includes(w)) && (!said || said.has(row[0]))) shown.push(i);
    });
    if (order.by >= 0) shown.sort((a, b) => compare(rows[a][order.by], rows[b][order.by]) || a - b);
    root.setAttribute("aria-rowcount", shown.length + 1);
    $("shown").textContent = shown.length + " of " + rows.length;
    draw();
  };

  const remember = () => {
    const now = new URLSearchParams();
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
      th.className = column.number ? "n" : "";
      button.textContent = column.name;
      button.type = "button";
      button.addEventListener("click", () => { sort(i, order.by === i && !order.down); changed(); });
      th.append(button);
      tr.append(th);
    });
    root.tHead.replaceChildren(tr);
  };

  // Settings that share a column have one each if that is chosen.
  const choose = (all) => {
    visible = columns.flatMap((c, i) => c.detail && !all ? [] : [i]);
    head();
    if (order.by >= 0) sort(order.by, order.down);
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

  const expand = () => {
    if (!columns.some((c) => c.detail)) return;
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.id = "all-settings";
    box.addEventListener("change", () => { choose(box.checked); draw(); });
    label.append(box, " a column for each setting");
    $("facets").append(label);
  };

  const start = (data) => {
    ({ columns, rows } = data);
    texts = rows.map((row) => row.map(plain).join(" ").toLowerCase());
    choose(false);
    facets();
    expand();
    $("choices").hidden = !$("facets").hasChildNodes();
    if (matchMedia("(max-width: 40rem)").matches) $("choices").open = false;
    const by = (query.get("by") ?? "").replace(/^-/, ""), at = columns.findIndex((c) => c.name === by);
    if (at >= 0) sort(at, query.get("by").startsWith("-"));
    $("words").value = query.get("words") ?? "";
    $("said").value = query.get("said") ?? "";
    $("words").addEventListener("input", changed);
    let wait = 0;
    $("said").addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(search, 150); });
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
