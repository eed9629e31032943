"use strict";

// Asks what may come next after each key, and shows the newest answer only. Whatever comes from the
// grammar is set as text, never as markup.

const get = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString("en");
let asking = 0;
let unfolded = "";
let timer = 0;

function make(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

// 0: no choice; each further step is about ten times as many tokens.
function warmth(nLegal) {
  return nLegal <= 1 ? 0 : Math.min(5, Math.ceil(Math.log10(nLegal)));
}

function write(text) {
  const area = get("text");
  area.value += text;
  area.focus();
  ask();
}

function unfold(name) {
  unfolded = name;
  ask();
}

function showGroups(groups, isIllegal) {
  get("next").textContent = isIllegal ? "What may come there instead" : "What may come next";
  get("next-section").hidden = groups.length === 0;
  get("groups").replaceChildren(...groups.map((group) => {
    const row = document.createElement("tr");
    const name = make("th", group.name);
    name.scope = "row";
    const examples = document.createElement("td");
    for (const example of group.examples) {
      const button = make("button", example.shown);
      button.type = "button";
      button.disabled = example.text === null;
      button.addEventListener("click", () => write(example.text));
      examples.append(button);
    }
    const more = group.n_tokens - group.examples.length;
    if (more > 0 && group.name === unfolded) {
      examples.append(make("span", ` and ${count(more)} more`, "note"));
    } else if (more > 0) {
      const all = make("button", `and ${count(more)} more`, "more");
      all.type = "button";
      all.addEventListener("click", () => unfold(group.name));
      examples.append(all);
    }
    row.append(name, make("td", count(group.n_tokens), "number"), examples);
    return row;
  }));
}

function showHeat(heat) {
  get("heat-section").hidden = heat.length === 0;
  get("heat").replaceChildren(...heat.map((part) => {
    const span = make("span", part.token, `w${warmth(part.n_legal)}`);
    span.title = `${count(part.n_legal)} legal`;
    return span;
  }));
}

function showPre(id, lines) {
  get(id).textContent = lines.join("\n");
  get(id).hidden = lines.length === 0;
}

function show(found) {
  const status = get("status");
  document.title = `${found.title} – maskc play`;
  get("title").textContent = found.title;
  if (found.problem) {
    status.textContent = found.problem;
    status.className = "bad";
    return;
  }
  const death = found.death;
  status.className = death ? "bad" : found.may_end ? "good" : "";
  status.textContent = death
    ? `illegal at line ${death.line}, column ${death.column}`
    : `${count(found.n_legal)} of ${count(found.n_tokens)} tokens are legal` +
      (found.may_end ? "; the text may end here" : "") +
      (found.forced ? `; next must come ${found.forced}` : "");
  showPre("pointed", death ? death.pointed : []);
  showHeat(found.heat);
  showGroups(found.groups, Boolean(death));
  const why = death ? death.why : found.readings;
  get("why").replaceChildren(...why.map((line) => make("li", line.replace(/^ *-? */, ""))));
  showPre("verdict", found.token);
}

async function ask() {
  const number = ++asking;
  const body = JSON.stringify({ text: get("text").value, token: get("token").value, unfolded });
  const headers = { "Content-Type": "application/json" };
  try {
    const reply = await fetch("/explain", { method: "POST", headers, body });
    const found = reply.ok ? await reply.json() : { problem: await reply.text(), title: "" };
    if (number === asking) show(found);
  } catch {
    if (number === asking) show({ problem: "maskc play was ended", title: "maskc play" });
  }
  if (number === asking) document.body.dataset.shown = get("text").value;
}

for (const id of ["text", "token"]) {
  get(id).addEventListener("input", () => {
    clearTimeout(timer);
    unfolded = "";
    timer = setTimeout(ask, 120);
  });
}
// A link can bring a text: /#SELECT%20
get("text").value = decodeURIComponent(location.hash.slice(1));
ask();
