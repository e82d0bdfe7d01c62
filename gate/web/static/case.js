// Shows errors while a case is typed; without this script they appear after saving.
"use strict";
(() => {
  document.querySelector("[data-focus]")?.focus();
  const form = document.querySelector("form[data-check]");
  if (!form) return;
  const state = form.querySelector("[data-state]");
  const touched = new Set();
  let waiting = 0, checks = 0, typed = false;

  const fieldOf = (element) => element.closest("[data-field]")?.dataset.field;

  const show = (errors) => {
    for (const place of form.querySelectorAll("[data-field]")) {
      const name = place.dataset.field;
      const own = touched.has(name) ? errors.filter((one) => one.field === name) : null;
      if (own === null) continue;
      const lines = own.map((one) => {
        const line = document.createElement("p");
        line.textContent = `▲ ${one.message}${one.hint ? ` (${one.hint})` : ""}`;
        return line;
      });
      const box = place.querySelector(".errors");
      if (box.textContent !== lines.map((line) => line.textContent).join("")) box.replaceChildren(...lines);
      for (const input of place.querySelectorAll("input, textarea")) {
        if (own.length) input.setAttribute("aria-invalid", "true");
        else input.removeAttribute("aria-invalid");
      }
    }
  };

  const check = async () => {
    const turn = ++checks;
    try {
      const response = await fetch(form.dataset.check, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (response.ok && turn === checks) show((await response.json()).errors);
    } catch {
      // The server does not answer; saving will show that.
    }
  };

  form.addEventListener("input", (event) => {
    typed = true;
    if (state) state.textContent = "Unsaved changes";
    const name = fieldOf(event.target);
    if (name) touched.add(name);
    clearTimeout(waiting);
    waiting = setTimeout(check, 400);
  });
  // A trial opens in another tab and does not save the form.
  form.addEventListener("submit", (event) => { if (event.submitter?.formTarget !== "_blank") typed = false; });
  addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });
})();
