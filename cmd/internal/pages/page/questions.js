"use strict";
for (const form of document.querySelectorAll("form[data-question]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = form.querySelector("[role=status]"), button = form.querySelector("button");
    button.disabled = true;
    try {
      const got = await fetch(form.dataset.question, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      said.textContent = await got.text();
      if (got.ok) {
        form.querySelector("textarea").readOnly = true;
        return;
      }
    } catch (error) {
      said.textContent = "The server is not there: " + error.message;
    }
    button.disabled = false;
  });
}
