// Adds a checkbox that selects all cases of the page.
"use strict";
(() => {
  const form = document.querySelector("form[data-list]");
  const boxes = form ? [...form.querySelectorAll("input[name=case]")] : [];
  if (!boxes.length) return;
  const every = document.createElement("input");
  const label = document.createElement("label");
  const line = document.createElement("div");
  const count = document.createElement("span");
  every.type = "checkbox";
  every.id = "c-all";
  label.htmlFor = every.id;
  label.textContent = "Select all on this page";
  count.className = "soft small";
  count.setAttribute("role", "status");
  line.className = "field check choose";
  line.append(every, label, count);
  form.querySelector(".rows").before(line);
  const update = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    every.checked = chosen === boxes.length;
    every.indeterminate = chosen > 0 && !every.checked;
    count.textContent = chosen ? `${chosen} selected` : "";
  };
  every.addEventListener("change", () => {
    for (const box of boxes) box.checked = every.checked;
    update();
  });
  form.addEventListener("change", update);
  update();
})();
