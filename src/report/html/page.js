"use strict";
(() => {
  const buttons = [...document.querySelectorAll(".code button")];
  const open = (button, is) => {
    button.setAttribute("aria-expanded", String(is));
    document.getElementById(button.getAttribute("aria-controls")).hidden = !is;
  };
  // Without a script everything stays open.
  buttons.forEach((button) => open(button, false));
  buttons.forEach((button, at) => {
    button.addEventListener("click", () => open(button, button.getAttribute("aria-expanded") !== "true"));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && buttons[at + step]) {
        event.preventDefault();
        buttons[at + step].focus();
      } else if (event.key === "Escape") {
        open(button, false);
      }
    });
  });
  // A link to a line shows its hardware.
  const follow = () => {
    const row = location.hash.startsWith("#L") && document.getElementById(location.hash.slice(1));
    const button = row && row.querySelector("button");
    if (button) {
      open(button, true);
      button.focus({ preventScroll: true });
    }
  };
  addEventListener("hashchange", follow);
  follow();
})();
