"use strict";
// The page is complete without this script: here its tables are sorted and filtered, and cases open where they stand.

const number = (text) => (text === "" || text === undefined ? null : Number(text));
const names = new Intl.Collator("en", { numeric: true });

/** A heading that sorts becomes a button; a second press turns the order. */
function sortable(table) {
  const body = table.tBodies[0];
  const heads = [...table.querySelectorAll("th[data-sort]")];
  const sort = (head) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = head.dataset.sort;
    const sign = down ? -1 : 1;
    const rows = [...body.rows].filter((row) => !row.classList.contains("opened"));
    const keyed = rows.map((row) => [key === "text" ? row.cells[0].textContent : number(row.dataset[key]), row]);
    keyed.sort(([a], [b]) => {
      if (key === "text") return sign * names.compare(a, b);
      // What has no number comes last in both orders.
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (a - b);
    });
    const ordered = document.createDocumentFragment();
    for (const [, row] of keyed) ordered.append(row, ...(row.below ? [row.below] : []));
    body.append(ordered);
  };
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(head));
  }
}

/** The fields above a table choose its rows. */
function filtered(list) {
  const rows = [...list.querySelector("tbody").rows];
  const field = (name) => list.querySelector(`[data-${name}]`);
  const fields = ["search", "slice", "state", "from", "to"].map(field).filter(Boolean);
  const count = field("count");
  const whole = count.textContent;
  // Read when the first word is looked for: a page opens before that.
  let texts = null;
  const textOf = (row) => {
    const link = row.querySelector("[data-open]");
    const body = link && document.getElementById(link.hash.slice(1));
    return `${row.textContent} ${body ? body.textContent : ""}`.toLowerCase();
  };
  const value = (name) => (field(name) ? field(name).value : "");
  const choose = () => {
    const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
    const [slice, state, from, to] = [value("slice"), value("state"), number(value("from")), number(value("to"))];
    if (words.length && !texts) texts = rows.map(textOf);
    let shown = 0;
    rows.forEach((row, place) => {
      const change = number(row.dataset.change);
      const fits =
        words.every((word) => texts[place].includes(word)) &&
        (slice === "" || row.dataset.slices.split(" ").includes(slice)) &&
        (state === "" || (state === "missing" ? "missing" in row.dataset : row.dataset.state === state)) &&
        (from === null || (change !== null && change >= from)) &&
        (to === null || (change !== null && change <= to));
      row.hidden = !fits;
      if (row.below) row.below.hidden = !fits;
      shown += fits;
    });
    count.textContent = shown === rows.length ? whole : `${shown} of ${rows.length} ${rows.length === 1 ? "case" : "cases"}`;
  };
  for (const one of fields) one.addEventListener("input", choose);
  field("clear").addEventListener("click", () => {
    for (const one of fields) one.value = "";
    choose();
  });
  list.querySelector(".filters").hidden = false;
}

/** A case opens below its row, and goes back to its fold when it is closed. */
function openable(link) {
  const row = link.closest("tr");
  link.setAttribute("aria-expanded", "false");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const article = document.getElementById(link.hash.slice(1));
    if (row.below) {
      row.home.append(article);
      row.home.hidden = false;
      row.below.remove();
      row.below = null;
    } else {
      row.home = article.closest("details");
      row.below = document.createElement("tr");
      row.below.className = "opened";
      const cell = row.below.insertCell();
      cell.colSpan = row.cells.length;
      cell.append(article);
      row.home.hidden = true;
      row.after(row.below);
    }
    link.setAttribute("aria-expanded", String(Boolean(row.below)));
  });
}

for (const list of document.querySelectorAll("[data-list]")) filtered(list);
for (const table of document.querySelectorAll("[data-sortable]")) sortable(table);
for (const link of document.querySelectorAll("[data-open]")) openable(link);

// On paper nobody can unfold; of the cases, the 20 that changed most are enough.
let opened = [];
addEventListener("beforeprint", () => {
  const cases = [...document.querySelectorAll("details.case")];
  opened = [...document.querySelectorAll("details:not([open])")].filter((one) => {
    const around = one.closest("details.case");
    return !around || cases.indexOf(around) < 20;
  });
  for (const one of opened) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of opened) one.open = false;
});
