// What is wrong with a case is told while it is typed; without this script it is told when it is sent.
"use strict";
(() => {
  document.querySelector("[data-focus]")?.focus();
  const form = document.querySelector("form[data-check]");
  if (!form) return;
  const state = form.querySelector("[data-state]");
  const touched = new Set();
  let waiting = 0, asked = 0, typed = false;

  const fieldOf = (element) => element.closest("[data-field]")?.dataset.field;

  const show = (mistakes) => {
    for (const place of form.querySelectorAll("[data-field]")) {
      const name = place.dataset.field;
      const own = touched.has(name) ? mistakes.filter((one) => one.field === name) : null;
      if (own === null) continue;
      const told = own.map((one) => {
        const line = document.createElement("p");
        line.textContent = `▲ ${one.message}${one.hint ? ` (${one.hint})` : ""}`;
        return line;
      });
      const box = place.querySelector(".mistakes");
      if (box.textContent !== told.map((line) => line.textContent).join("")) box.replaceChildren(...told);
      for (const input of place.querySelectorAll("input, textarea")) {
        if (own.length) input.setAttribute("aria-invalid", "true");
        else input.removeAttribute("aria-invalid");
      }
    }
  };

  const check = async () => {
    const turn = ++asked;
    try {
      const answer = await fetch(form.dataset.check, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (answer.ok && turn === asked) show((await answer.json()).mistakes);
    } catch {
      // The server is away; sending the form will say so.
    }
  };

  form.addEventListener("input", (event) => {
    typed = true;
    if (state) state.textContent = "Not saved yet";
    const name = fieldOf(event.target);
    if (name) touched.add(name);
    clearTimeout(waiting);
    waiting = setTimeout(check, 400);
  });
  // What is tried opens beside the form, in which nothing is saved by that.
  form.addEventListener("submit", (event) => { if (event.submitter?.formTarget !== "_blank") typed = false; });
  addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });
})();
