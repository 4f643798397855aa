// The list of episodes, its search and filters, and the transcript that is open. Every text is set as text, never as
// markup. A transcript is read from its element when it is opened or searched.
"use strict";
(() => {
  const AT_ONCE = 200;
  const at = (id) => document.getElementById(id);
  const table = JSON.parse(at("episodes").textContent);
  const episodes = table.rows.map((row, number) =>
    Object.assign({ number }, ...table.columns.map((name, place) => ({ [name]: row[place] }))));
  const trials = episodes.some((each) => each.trial > 0);
  let found = episodes, shown = 0, open = -1;

  // -- small tools

  function make(tag, kind, ...inside) {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    node.append(...inside.filter((each) => each !== null && each !== ""));
    return node;
  }

  const count = (number, one, many) => `${number.toLocaleString("en-US")} ${number === 1 ? one : many || one + "s"}`;

  const query = () => at("query").value.trim().toLowerCase();

  function marked(text) {
    const wanted = query(), lower = text.toLowerCase();
    if (!wanted || lower.length !== text.length) return [text];
    const parts = [];
    let from = 0;
    for (let place = lower.indexOf(wanted); place >= 0; place = lower.indexOf(wanted, from)) {
      parts.push(text.slice(from, place), make("mark", "", text.slice(place, place + wanted.length)));
      from = place + wanted.length;
    }
    return [...parts, text.slice(from)];
  }

  const talk = (number) => JSON.parse(at(`talk${number}`).textContent);

  // -- which episodes

  const quoted = (text) => JSON.stringify(text).slice(1, -1).replaceAll("<", "\\u003c");

  function texts({ turns, final, failure }) {
    const all = [final, failure || ""];
    for (const { seen, action, said, refused, thought, refusal } of turns) all.push(seen, action, said, refused, thought, refusal);
    return all.filter(Boolean);
  }

  function says(episode, wanted) {
    if (!wanted || episode.task.toLowerCase().includes(wanted)) return true;
    // The written form is looked through first: it costs no reading, and holds all that is found in the texts.
    if (!at(`talk${episode.number}`).textContent.toLowerCase().includes(quoted(wanted).toLowerCase())) return false;
    return texts(talk(episode.number)).some((text) => text.toLowerCase().includes(wanted));
  }

  function chosen(episode) {
    const outcome = at("outcome").value, run = at("run"), kind = at("kind"), side = at("side"), agent = at("agent");
    if (outcome === "failed" ? !episode.failure : outcome && episode.outcome !== outcome) return false;
    if (run && run.value && episode.run !== Number(run.value)) return false;
    if (kind && kind.value && episode.kind !== kind.value) return false;
    if (side && side.value && episode.player !== side.value) return false;
    if (agent && agent.value && episode.agent !== agent.value) return false;
    return !at("refused").checked || episode.refused > 0;
  }

  function filter() {
    const wanted = query(), order = at("order").value;
    found = episodes.filter((each) => chosen(each) && says(each, wanted));
    if (order) found.sort((a, b) => (order === "score" ? a.score - b.score : b[order] - a[order]) || a.number - b.number);
    at("count").textContent = found.length === episodes.length
      ? count(episodes.length, "episode")
      : `${found.length.toLocaleString("en-US")} of ${count(episodes.length, "episode")}`;
    at("rows").replaceChildren();
    shown = 0;
    list();
    read();
  }

  // -- the list

  const held = (episode) => episode.player ? `${episode.player}: ${episode.agent}` : "";

  const pill = (episode) =>
    make("span", `verdict ${{ won: "good", lost: "bad" }[episode.outcome] || "neutral"}`, episode.outcome);

  function list() {
    const next = found.slice(shown, shown + AT_ONCE);
    at("rows").append(...next.map((episode) => {
      const link = make("a", "", pill(episode), make("b", "", episode.task), make("small", "", [
        table.runs.length > 1 ? table.runs[episode.run] : "",
        held(episode),
        episode.kind,
        trials ? `trial ${episode.trial + 1}` : "",
        count(episode.turns, "turn"),
        episode.refused ? `${episode.refused} refused` : "",
        `score ${Number((episode.score || 0).toFixed(3))}`,
      ].filter(Boolean).join(" · ")));
      link.href = `#e${episode.number}`;
      if (episode.number === open) link.setAttribute("aria-current", "true");
      return make("li", "", link);
    }));
    shown += next.length;
    at("more").hidden = shown >= found.length;
  }

  // -- the transcript

  const ENDS = { terminated: "ended by the world", truncated: "at the turn limit", context: "the context was full", refused: "its words were refused" };

  function picture(address, what) {
    if (!address) return null;
    const image = make("img", "");
    image.src = address;
    image.alt = what;
    return image;
  }

  function folded(title, text) {
    const box = make("details", "thought", make("summary", "", title), make("pre", "", ...marked(text)));
    box.open = query() !== "" && text.toLowerCase().includes(query());
    return box;
  }

  function drawn(turn, number) {
    const facts = [
      turn.reward ? `reward ${Number(turn.reward.toFixed(4))}` : "",
      turn.finish ? `finish: ${turn.finish}` : "",
      turn.read || turn.wrote ? `${count(turn.read || 0, "token")} read, ${(turn.wrote || 0).toLocaleString("en-US")} written` : "",
      turn.seconds ? `${Number(turn.seconds.toFixed(2))} s` : "",
      turn.tries ? `${turn.tries} tries` : "",
      turn.cost ? `${Number(turn.cost.toPrecision(3))} dollars` : "",
    ].filter(Boolean).join(" · ");
    const action = make("p", turn.refused ? "said refused" : "said", make("code", "", ...(turn.action ? marked(turn.action) : ["(empty)"])));
    const right = make("div", "spoken",
      turn.thought ? folded("Reasoning", turn.thought) : null,
      turn.said ? make("pre", "answer", ...marked(turn.said)) : null,
      turn.refusal ? make("p", "why", "The model refused: ", ...marked(turn.refusal)) : null,
      action,
      turn.refused ? make("p", "why", "Refused: ", ...marked(turn.refused)) : null,
      facts ? make("p", "facts", facts) : null);
    const left = make("div", "seen", picture(turn.picture, `What the world shows before turn ${number}`), make("pre", "", ...marked(turn.seen)));
    return make("li", "turn", make("span", "number", String(number)), left, right);
  }

  function step(episode, by, words) {
    const place = found.indexOf(episode), other = place < 0 ? undefined : found[place + by];
    const link = make("a", "step", words);
    if (other) link.href = `#e${other.number}`;
    else link.setAttribute("aria-disabled", "true");
    return link;
  }

  function read() {
    const episode = episodes[open], pane = at("reading");
    at("viewer").classList.toggle("reading", Boolean(episode));
    for (const link of at("rows").querySelectorAll("a")) {
      if (link.hash === `#e${open}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!episode) return pane.replaceChildren(make("p", "hint", "Choose an episode to read it."));
    const { turns, final, failure, picture: last } = talk(open);
    const system = table.systems[episode.system];
    const back = make("a", "back", "All episodes");
    back.href = "#viewer";
    const facts = [
      table.runs.length > 1 ? table.runs[episode.run] : "", held(episode), episode.kind, trials ? `trial ${episode.trial + 1}` : "",
      count(episode.turns, "turn"), episode.refused ? `${episode.refused} refused` : "",
      `score ${Number((episode.score || 0).toFixed(4))}`, episode.tokens ? count(episode.tokens, "token") : "",
      ENDS[episode.stop] || "", `seed ${episode.seed}`,
    ].filter(Boolean).join(" · ");
    pane.replaceChildren(
      make("header", "", make("div", "steps", back, step(episode, -1, "Previous"), step(episode, 1, "Next")),
        make("h3", "", pill(episode), ` ${episode.task}`), make("p", "facts", facts),
        failure ? make("p", "why", `${episode.failure ? `Failure of the ${episode.failure}` : "Failure"}: `, ...marked(failure)) : null),
      system ? folded("System message", system) : null,
      make("div", "heads", make("span", "", "What it saw"), make("span", "", "What it said")),
      make("ol", "turns", ...turns.map((turn, place) => drawn(turn, place + 1))),
      make("div", "end", make("p", "facts", "At the end"), picture(last, "What the world shows at the end"), make("pre", "", ...marked(final))));
  }

  function go() {
    const asked = /^#e(\d+)$/.exec(location.hash);
    const before = open;
    open = asked && Number(asked[1]) < episodes.length ? Number(asked[1]) : -1;
    read();
    if (open >= 0 && open !== before) {
      at("reading").scrollTop = 0;
      at("viewer").scrollIntoView();
    }
  }

  // -- what moves it

  let waiting = 0;
  at("query").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 150);
  });
  for (const id of ["outcome", "run", "kind", "side", "agent", "order", "refused"]) if (at(id)) at(id).addEventListener("change", filter);
  at("more").addEventListener("click", list);
  window.addEventListener("hashchange", go);
  at("viewer").hidden = false;
  filter();
  go();
})();
