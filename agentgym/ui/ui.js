// Swaps the part of a page that changes when the server says so, and sends its forms without leaving the page.
"use strict";

const live = document.querySelector("[data-events]");
const complaint = document.querySelector(".complaint");

function fillable() { // the fields of tools, in their order
  return live.querySelectorAll("[name^='arg.']");
}

function kept() {
  const open = new Map();
  for (const each of live.querySelectorAll("details[data-keep]")) open.set(each.dataset.keep, each.open);
  const typed = live.querySelector(".say");
  const field = typed && typed.elements.action;
  const filled = [...fillable()].map((each) => each.value);
  const at = [...fillable()].indexOf(document.activeElement);
  const focus = field === document.activeElement;
  return {open, filled, at, turn: typed && typed.dataset.turn, text: field ? field.value : "", focus};
}

function restore(before) {
  for (const each of live.querySelectorAll("details[data-keep]")) {
    if (before.open.has(each.dataset.keep)) each.open = before.open.get(each.dataset.keep);
  }
  const typed = live.querySelector(".say");
  if (!typed) return;
  if (typed.dataset.turn === before.turn) {
    typed.elements.action.value = before.text;
    fillable().forEach((each, place) => { if (place < before.filled.length) each.value = before.filled[place]; });
    fillable()[before.at]?.focus({preventScroll: true});
  }
  if (before.focus || before.turn === null) typed.elements.action.focus({preventScroll: true});
}

let wanted = 0;
async function swap() {
  const mine = ++wanted;
  const answer = await fetch(live.dataset.part);
  const text = await answer.text();
  if (!answer.ok || mine !== wanted) return;
  const before = kept();
  live.innerHTML = text; // a page of this server, in which every text is escaped
  restore(before);
}

async function send(form, button) {
  const fields = new URLSearchParams(new FormData(form));
  if (button && button.name) fields.append(button.name, button.value);
  const field = form.matches(".say") && form.elements.action;
  const said = field ? field.value : "";
  if (field) field.value = ""; // at once, so that what is typed meanwhile stays
  const answer = await fetch(form.getAttribute("action"), {method: "POST", body: fields, headers: {"X-AgentGym": "script"}});
  if (complaint) {
    complaint.hidden = answer.ok;
    if (!answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      complaint.textContent = page.querySelector("[data-message]")?.textContent ?? "That did not work.";
    }
  }
  const now = live.querySelector(".say")?.elements.action;
  if (said && !answer.ok && now && !now.value) now.value = said; // it was not taken
  if (answer.ok) await swap();
}

if (live) {
  const source = new EventSource(live.dataset.events);
  source.addEventListener("board", swap);
  source.addEventListener("end", () => { source.close(); swap(); });
  source.addEventListener("speech", (event) => {
    const place = live.querySelector("[data-speech]");
    if (!place) return;
    place.hidden = false;
    place.textContent = JSON.parse(event.data);
  });
  live.addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.target, event.submitter);
  });
}
