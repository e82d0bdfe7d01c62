// A job is told as it goes; without this script its page reloads itself.
"use strict";
(() => {
  const place = document.querySelector("[data-job]");
  const status = document.querySelector("[data-said]");
  if (!place) return;
  const events = new EventSource(place.dataset.job);
  events.addEventListener("message", (event) => {
    const told = JSON.parse(event.data);
    // What people and models wrote is text in it: the server made it by the template of this very page.
    place.innerHTML = told.html;
    if (status && status.textContent !== told.said) status.textContent = told.said;
  });
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
})();
