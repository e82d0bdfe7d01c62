// Shows the progress of a job; without this script the page reloads itself.
"use strict";
(() => {
  const place = document.querySelector("[data-job]");
  const status = document.querySelector("[data-said]");
  if (!place) return;
  const events = new EventSource(place.dataset.job);
  events.addEventListener("message", (event) => {
    const update = JSON.parse(event.data);
    // Safe: the server rendered it with the template of this page, which escapes all text.
    place.innerHTML = update.html;
    if (status && status.textContent !== update.said) status.textContent = update.said;
  });
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
})();
