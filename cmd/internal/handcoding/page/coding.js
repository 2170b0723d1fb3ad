"use strict";
(() => {
  const key = "roundtable-coding-" + document.body.dataset.store;
  const items = [...document.querySelectorAll("fieldset[data-id]")];
  const chosen = (item) => [...item.querySelectorAll("input:checked")].map((i) => i.value);
  let coded = {};
  try { coded = JSON.parse(localStorage.getItem(key)) || {}; } catch { coded = {}; }
  for (const item of items) {
    const labels = Array.isArray(coded[item.dataset.id]) ? coded[item.dataset.id] : [];
    for (const input of item.querySelectorAll("input")) input.checked = labels.includes(input.value);
  }
  const count = () => {
    let done = 0;
    for (const item of items) {
      const labels = chosen(item);
      item.classList.toggle("done", labels.length > 0);
      if (labels.length > 0) done++;
      coded[item.dataset.id] = labels;
    }
    document.getElementById("done").textContent = done;
    try { localStorage.setItem(key, JSON.stringify(coded)); } catch { /* the page still saves the table */ }
    return done;
  };
  document.addEventListener("change", (event) => {
    const input = event.target, item = input.closest("fieldset");
    if (item && input.checked && input.type === "checkbox") {
      for (const other of item.querySelectorAll("input:checked")) {
        if (other !== input && ("alone" in other.dataset || "alone" in input.dataset)) other.checked = false;
      }
    }
    count();
  });
  document.getElementById("next").addEventListener("click", () => {
    const item = items.find((i) => chosen(i).length === 0);
    if (item) { item.scrollIntoView({ block: "center" }); item.querySelector("input").focus(); }
  });
  document.getElementById("save").addEventListener("click", () => {
    const done = count();
    if (done < items.length && !confirm(`${items.length - done} are not coded yet. Save all the same?`)) return;
    const cell = (text) => '"' + text.replaceAll('"', '""') + '"';
    const rows = items.map((i) => [i.dataset.id, chosen(i).join("; "), i.dataset.check].map(cell).join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["id,labels,check\r\n" + rows.join("\r\n") + "\r\n"], { type: "text/csv" }));
    link.download = document.body.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  count();
})();
