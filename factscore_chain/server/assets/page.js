// The page on which a text is checked: asks the server, and draws what it answers.

const form = byId("ask");
const say = byId("say");
let evidenceNow = null;
let asking = new AbortController();

function readEvidence() {
  return evidenceNow;
}

/** All facts are drawn at once, so none is waiting. */
function more() {
  return false;
}

function tell(message, trouble = false) {
  say.textContent = message;
  say.classList.toggle("trouble", trouble);
}

/** Asks the server; where it wants a token, the field for it appears. */
async function ask(path, options = {}) {
  const token = byId("token").value;
  const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (response.ok) {
    return response;
  }
  if (response.status === 401) {
    byId("locked").hidden = false;
    byId("token").focus();
  }
  const body = await response.json().catch(() => null);
  throw new Error(body?.error?.message ?? `The server answered ${response.status}.`);
}

async function listSources() {
  const chosen = byId("knowledge").value;
  const { sources, default: first } = await (await ask("knowledge")).json();
  const options = sources.map(({ name, documents }) =>
    el("option", { value: name }, documents === null ? name : `${name} (${some(documents, "document")})`),
  );
  byId("knowledge").replaceChildren(...options);
  byId("knowledge").value = chosen || first;
}

/** The lines of JSON of an answer, as they come. */
async function* linesOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines.map((line) => JSON.parse(line));
  }
}

async function check() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  list.replaceChildren();
  list.setAttribute("aria-busy", "true");
  tell("Checking…");
  try {
    if (!byId("knowledge").options.length) {
      await listSources();
    }
    const body = {
      text: byId("text").value.toWellFormed(),
      topic: byId("topic").value.trim() || null,
      knowledge: byId("knowledge").value,
      policy: byId("policy").value,
    };
    const response = await ask("page/check", { method: "POST", body: JSON.stringify(body), signal });
    await drawLines(response);
  } catch (error) {
    if (!signal.aborted) {
      tell(error instanceof TypeError ? "The server cannot be reached." : error.message, true);
    }
  } finally {
    if (!signal.aborted) {
      list.removeAttribute("aria-busy");
    }
  }
}

async function drawLines(response) {
  let last = null;
  for await (const line of linesOf(response)) {
    if (line.error?.message) {
      throw new Error(line.error.message);
    }
    if (line.overview) {
      drawFacts(line);
    } else {
      drawMended(line);
    }
    last = line;
  }
  if (!last || last.overview) {
    throw new Error("The server broke off before it was done. Check again.");
  }
}

function drawFacts({ overview, evidence }) {
  evidenceNow = evidence;
  take([overview]);
  const [generation] = generations;
  generation.name = "your text";
  marksOf.clear();
  marksOf.set(generation, []);
  factOf.clear();
  generation.facts.forEach((fact) => factOf.set(fact.key, fact));
  const row = {
    generation,
    along: verdictsAlong(generation, generation.facts),
    facts: generation.facts,
    first: 0,
    end: generation.pieces.length,
    opens: true,
    closes: true,
  };
  list.replaceChildren(
    el(
      "article",
      { class: "checked", "aria-labelledby": "result" },
      headlineOf(generation),
      generation.facts.length ? barOf(generation.facts) : null,
      generation.error ? el("p", { class: "note", dir: "auto" }, generation.error) : null,
      el(
        "div",
        { class: "panels" },
        el("section", { class: "given", "aria-labelledby": "given" }, el("h3", { id: "given" }, "Your text"), textOf(row)),
        el(
          "section",
          { class: "mended", id: "mended", "aria-labelledby": "corrected" },
          el("h3", { id: "corrected" }, "Corrected"),
          el("p", { class: "quiet" }, "Correcting…"),
        ),
        el("section", { class: "of-facts", "aria-labelledby": "facts" }, el("h3", { id: "facts" }, "Facts"), factsOf(row)),
      ),
      lostOf(generation),
    ),
  );
  tell(`${summaryOf(generation)} Correcting…`);
}

function headlineOf(generation) {
  const count = (verdict) => generation.facts.filter((fact) => fact.verdict === verdict).length;
  const counts = VERDICTS.map((verdict) => [verdict, count(verdict)]).filter(([, number]) => number);
  return el(
    "div",
    { class: "verdict-line" },
    el("h2", { id: "result", class: "unseen" }, "Result"),
    el("p", { class: "score" }, percent(generation.precision)),
    el("ul", { class: "legend" }, ...counts.map(([verdict, number]) => el("li", { "data-verdict": verdict }, `${number} ${words(verdict)}`))),
    generation.title ? el("p", { class: "quiet", dir: "auto" }, `about ${generation.title}`) : null,
  );
}

function summaryOf({ facts, status }) {
  if (!facts.length) {
    return status === "abstained" ? "The text does not answer, so there is nothing to check." : "Nothing in the text can be checked.";
  }
  const supported = facts.filter((fact) => fact.verdict === "supported").length;
  return `${supported} of ${some(facts.length, "fact")} supported.`;
}

function drawMended({ text, edited, score, left, error }) {
  const [generation] = generations;
  const still = left.length ? [el("h4", {}, "Still not supported"), el("ul", {}, ...left.map((fact) => el("li", { dir: "auto" }, fact)))] : [];
  const tags = { same: "span", removed: "del", added: "ins" };
  const content = edited
    ? [
        el("div", { class: "text", role: "group", tabindex: "0", "aria-label": "Corrected text", dir: "auto" }, ...edited.changes.map(([kind, piece]) => el(tags[kind], {}, piece))),
        el("ul", {}, ...edited.reasons.map((reason) => el("li", { dir: "auto" }, reason))),
      ]
    : [el("p", { class: "quiet" }, left.length ? "The source says nothing that would mend it." : "Nothing to correct.")];
  byId("mended").replaceChildren(
    el("h3", { id: "corrected" }, "Corrected", edited ? copying(text) : null),
    ...content,
    ...still,
    ...(error ? [el("p", { class: "note", dir: "auto" }, error)] : []),
  );
  tell(`${summaryOf(generation)}${edited ? ` Corrected: ${percent(score)}.` : ""}`);
}

function copying(text) {
  const button = el("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      tell("The corrected text is in the clipboard.");
    } catch {
      tell("The browser does not let this page use the clipboard.", true);
    }
  });
  return button;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  // Where the answer will be, so that keys go to its facts and not into the text.
  list.focus({ preventScroll: true });
  check();
});

byId("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit();
  }
});

listSources().catch((error) => tell(error.message, true));
