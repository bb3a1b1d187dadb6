"use strict";
/* The graph of a page or widget: pan, zoom, search, filter, focus, details, drawing knowledge; tables that sort.
   Only textContent is ever written: names are text. */

/* `send` fits again with the knowledge in `said`, a list that outlives the drawing; null where nobody can. */
function mountGraph(root, facts, send, said = []) {
  const svg = root.querySelector("svg.graph");
  const world = svg.querySelector(".world");
  const full = { w: Number(svg.dataset.w), h: Number(svg.dataset.h) };
  const nodes = [...svg.querySelectorAll(".node")];
  const edges = [...svg.querySelectorAll(".edge")];
  const details = root.querySelector(".details");
  const find = (query) => root.querySelector(query);
  let view = { x: 0, y: 0, w: full.w, h: full.h };
  let chosen = null;
  let mode = "look";
  let first = null;

  const touching = facts.names.map(() => []);
  facts.edges.forEach((edge, k) => { touching[edge.a].push(k); touching[edge.b].push(k); });

  function show() {
    svg.setAttribute("viewBox", [view.x, view.y, view.w, view.h].map((v) => v.toFixed(1)).join(" "));
  }
  function zoom(factor, x, y) {
    const w = Math.min(Math.max(view.w * factor, 80), full.w * 3);
    const ratio = w / view.w;
    view = { x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio, w, h: view.h * ratio };
    show();
  }
  function middle() { return [view.x + view.w / 2, view.y + view.h / 2]; }
  function place(event) {
    const matrix = svg.getScreenCTM();
    if (!matrix) { return middle(); }
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  }
  function whole() { view = { x: 0, y: 0, w: full.w, h: full.h }; show(); }

  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !svg.matches(":focus-within")) { return; }
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...place(event));
  }, { passive: false });
  let grip = null;
  svg.addEventListener("pointerdown", (event) => {
    grip = { at: place(event), moved: false, id: event.pointerId };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!grip || event.buttons === 0) { grip = null; return; }
    const [x, y] = place(event);
    const dx = grip.at[0] - x, dy = grip.at[1] - y;
    if (!grip.moved && Math.hypot(dx, dy) < view.w / 200) { return; }
    if (!grip.moved) { grip.moved = true; svg.setPointerCapture(grip.id); }
    view.x += dx; view.y += dy; show();
  });
  svg.addEventListener("keydown", (event) => {
    const step = view.w / 12;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) { view.x += moves[event.key][0]; view.y += moves[event.key][1]; show(); }
    else if (event.key === "+" || event.key === "=") { zoom(1 / 1.25, ...middle()); }
    else if (event.key === "-") { zoom(1.25, ...middle()); }
    else if (event.key === "0") { whole(); }
    else if (event.key === "Escape") { choose(null); }
    else if (event.key === "Enter" || event.key === " ") { pick(event.target.closest(".node, .edge")); }
    else { return; }
    event.preventDefault();
  });
  svg.addEventListener("click", (event) => {
    if (grip && grip.moved) { grip = null; return; }
    pick(event.target.closest(".node, .edge"));
  });
  svg.addEventListener("pointerover", (event) => {
    const node = event.target.closest(".node");
    if (node && chosen === null && !alone.checked) { light(Number(node.dataset.k)); }
  });
  svg.addEventListener("pointerout", (event) => {
    if (event.target.closest(".node") && chosen === null && !alone.checked) { light(null); }
  });

  function pick(element) {
    if (!element) { choose(null); return; }
    const k = Number(element.dataset.k);
    if (element.classList.contains("edge")) { aboutEdge(k); return; }
    if (mode !== "look") { paired(k); return; }
    choose(k);
  }
  function light(k) {
    svg.classList.toggle("lit", k !== null);
    if (k === null) { return; }
    const near = new Set([k]);
    touching[k].forEach((e) => { near.add(facts.edges[e].a); near.add(facts.edges[e].b); });
    lightThese(near, new Set(touching[k]));
  }
  function lightThese(near, lines) {
    svg.classList.add("lit");
    nodes.forEach((node, i) => node.classList.toggle("near", near.has(i)));
    edges.forEach((edge, e) => edge.classList.toggle("near", lines.has(e)));
  }
  function choose(k) {
    chosen = k;
    light(k);
    around(k);
    nodes.forEach((node, i) => node.classList.toggle("chosen", i === k));
    if (k === null) { details.replaceChildren(...hints.map((words) => line("p", words))); return; }
    aboutNode(k);
  }
  /* "Neighbours only": causes above a column, effects below it, what is joined without a direction beside it. */
  const alone = root.querySelector(".only");
  const moved = [];
  function around(k) {
    const before = moved.length;
    moved.splice(0).forEach((back) => back());
    if (k === null || !alone.checked) { if (before) { whole(); } return; }
    const sizes = (i) => ["width", "height"].map((side) => Number(nodes[i].querySelector("rect").getAttribute(side)));
    const above = [], below = [], beside = [];
    touching[k].forEach((e) => {
      const edge = facts.edges[e];
      (edge.d ? (edge.b === k ? above : below) : beside).push(edge.a === k ? edge.b : edge.a);
    });
    const at = new Map([[k, [0, 0]]]);
    const tall = Math.max(...nodes.map((_, i) => (i === k || beside.includes(i) ? sizes(i)[1] : 0)));
    beside.forEach((i, n) => {
      const side = n % 2 ? 1 : -1, level = Math.floor(n / 2);
      const down = (level % 2 ? 1 : -1) * Math.ceil(level / 2) * (tall + 24);
      at.set(i, [side * (sizes(k)[0] / 2 + 90 + sizes(i)[0] / 2), down]);
    });
    const start = 90 + Math.ceil(beside.length / 4) * (tall + 24);
    [[above, -1], [below, 1]].forEach(([all, way]) => {
      let y = way * start;
      for (let n = 0; n < all.length; n += 7) {
        const row = all.slice(n, n + 7);
        let x = -row.reduce((sum, i) => sum + sizes(i)[0] + 24, -24) / 2;
        row.forEach((i) => { at.set(i, [x + sizes(i)[0] / 2, y]); x += sizes(i)[0] + 24; });
        y += way * (Math.max(...row.map((i) => sizes(i)[1])) + 30);
      }
    });
    at.forEach(([x, y], i) => {
      nodes[i].setAttribute("transform", `translate(${x - Number(nodes[i].dataset.x)},${y - Number(nodes[i].dataset.y)})`);
      moved.push(() => nodes[i].removeAttribute("transform"));
    });
    touching[k].forEach((e) => straight(e, at, sizes));
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    at.forEach((point, i) => [0, 1].forEach((n) => {
      low[n] = Math.min(low[n], point[n] - sizes(i)[n] / 2);
      high[n] = Math.max(high[n], point[n] + sizes(i)[n] / 2);
    }));
    const w = Math.max(high[0] - low[0] + 60, 500), h = Math.max(high[1] - low[1] + 60, 350);
    view = { x: (low[0] + high[0] - w) / 2, y: (low[1] + high[1] - h) / 2, w, h };
    show();
  }
  function straight(e, at, sizes) {
    const { a, b } = facts.edges[e];
    const end = (from, to) => {
      const d = [0, 1].map((n) => at.get(to)[n] - at.get(from)[n]);
      const reach = Math.min(...[0, 1].map((n) => sizes(from)[n] / 2 / Math.max(Math.abs(d[n]), 1e-9)));
      return [0, 1].map((n) => at.get(from)[n] + d[n] * Math.min(reach, 0.49));
    };
    const start = end(a, b), stop = end(b, a);
    const set = (element, key, value) => {
      const old = element.getAttribute(key);
      element.setAttribute(key, value);
      moved.push(() => element.setAttribute(key, old));
    };
    edges[e].querySelectorAll("path").forEach((path) => set(path, "d", `M${start}L${stop}`));
    const head = edges[e].querySelector("polygon");
    if (!head) { return; }
    const t = facts.edges[e].t === a, tip = t ? stop : start, tail = t ? start : stop;
    const length = Math.hypot(tip[0] - tail[0], tip[1] - tail[1]) || 1;
    const u = [0, 1].map((n) => (tip[n] - tail[n]) / length);
    const base = [0, 1].map((n) => tip[n] - 12 * u[n]);
    set(head, "points", `${tip} ${base[0] - 5 * u[1]},${base[1] + 5 * u[0]} ${base[0] + 5 * u[1]},${base[1] - 5 * u[0]}`);
  }
  function centre(k) {
    if (alone.checked) { return; }
    const x = Number(nodes[k].dataset.x), y = Number(nodes[k].dataset.y);
    const w = Math.min(full.w, 700), h = w * (view.h / view.w);
    view = { x: x - w / 2, y: y - h / 2, w, h };
    show();
  }

  function line(tag, words) {
    const made = document.createElement(tag);
    made.textContent = words;
    return made;
  }
  function list(title, ks) {
    const made = document.createElement("div");
    made.append(line("h4", title));
    if (!ks.length) { made.append(line("p", "none")); return made; }
    const items = document.createElement("ul");
    ks.forEach((k) => {
      const button = line("button", facts.names[k]);
      button.type = "button";
      button.dir = "auto";
      button.addEventListener("click", () => { centre(k); choose(k); });
      const item = document.createElement("li");
      item.append(button);
      items.append(item);
    });
    made.append(items);
    return made;
  }
  function aboutNode(k) {
    const parents = [], children = [], open = [];
    touching[k].forEach((e) => {
      const edge = facts.edges[e];
      const other = edge.a === k ? edge.b : edge.a;
      if (!edge.d) { open.push(other); } else if (edge.a === k) { children.push(other); } else { parents.push(other); }
    });
    const title = line("h3", facts.names[k]);
    title.dir = "auto";
    details.replaceChildren(
      title, line("p", facts.equations[k]),
      list("Causes", parents), list("Effects", children),
      list("Joined, direction not identified", open));
    const effects = (facts.effects || {})[k];
    if (effects) { details.append(line("h4", "Total effects of one unit"), line("p", effects)); }
  }
  function aboutEdge(k) {
    const edge = facts.edges[k];
    const a = facts.names[edge.a], b = facts.names[edge.b];
    const parts = [line("h3", `${a} ${edge.d ? "→" : "–"} ${b}`)];
    if (!edge.d) { parts.push(line("p", "The data do not tell the direction: graphs with either explain them.")); }
    const one = edge.d ? "" : `, in the graph with ${facts.names[edge.t]} as the cause`;
    if (edge.w !== null) { parts.push(line("p", `weight ${edge.w}${one}`)); }
    parts.push(...sure(edge));
    parts.push(...explained(edge.a, edge.b));
    details.replaceChildren(...parts);
    edges.forEach((one, e) => one.classList.toggle("chosen", e === k));
  }
  function sure(edge) {
    if (edge.s === undefined) {
      return facts.resampled ? [] : [line("p", "How sure it is was not asked: resamples=100 says how often it comes again.")];
    }
    const said = [`${facts.measure}: ${percent(edge.s)} with this mark`];
    if (edge.j !== undefined) { said[0] += `, ${percent(edge.j)} joined`; }
    if (edge.q !== undefined) { said.push(`probability that the two are joined: ${percent(edge.q)}`); }
    if (edge.s < 0.5) { said.push("In less than half: do not build on it."); }
    return said.map((words) => line("p", words));
  }
  function percent(share) {
    return share > 0.99 && share < 1 ? "more than 99 %" : `${Math.round(100 * share)} %`;
  }
  function aboutPair(a, b) {
    const k = facts.edges.findIndex((edge) => (edge.a === a && edge.b === b) || (edge.a === b && edge.b === a));
    chosen = a;
    around(null);
    lightThese(new Set([a, b]), new Set([k]));
    if (k >= 0) { aboutEdge(k); return; }
    const words = explained(a, b);
    const call = `result.explain(${python(facts.names[a])}, ${python(facts.names[b])})`;
    details.replaceChildren(
      line("h3", `${facts.names[a]} and ${facts.names[b]}`), line("p", "They are not joined."),
      ...(words.length ? words : [line("p", "In Python, this says why:"), line("code", call)]));
  }
  function explained(i, j) {
    const words = facts.explained[i < j ? `${i},${j}` : `${j},${i}`];
    return words ? [line("pre", words)] : [];
  }

  const hints = [
    "Click a column for its causes, effects and equation, or an edge for how sure it is and the reason behind it.",
    "“Why?” below the graph asks about any two columns, joined or not.",
    "An arrow says what these data say if no common cause is hidden. Identified is not sure.",
  ];
  choose(null);
  nodes.forEach((node, k) => node.addEventListener("focus", () => { if (chosen === null && !alone.checked) { light(k); } }));

  const on = (query, event, act) => { const found = find(query); if (found) { found.addEventListener(event, act); } };
  on(".in", "click", () => zoom(1 / 1.3, ...middle()));
  on(".out", "click", () => zoom(1.3, ...middle()));
  on(".all", "click", () => { choose(null); whole(); });
  on(".member-too", "change", (event) => svg.classList.toggle("dag", event.target.checked));
  on(".only", "change", () => { svg.classList.toggle("only", alone.checked); around(chosen); });
  if (nodes.length > 150) {  // names could not be read: a column with those joined to it can
    alone.checked = true;
    svg.classList.add("only");
    hints.unshift(`${nodes.length} columns are too many to read at once: search for one, or click it, and it is shown `
      + "with those joined to it. “Whole graph” leads back.");
    choose(null);
  }
  on(".search", "input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    const k = facts.names.findIndex((name) => name.toLowerCase() === wanted);
    const near = k >= 0 || !wanted ? k : facts.names.findIndex((name) => name.toLowerCase().includes(wanted));
    if (near >= 0) { centre(near); choose(near); } else { choose(null); }
    const status = find(".status");
    if (status) { status.textContent = wanted && near < 0 ? "no column has this in its name" : ""; }
  });
  on(".least", "input", (event) => {
    const least = Number(event.target.value) / 100;
    let shown = 0;
    edges.forEach((edge) => {
      const hide = Number(edge.dataset.s || 1) < least;
      edge.classList.toggle("hidden", hide);
      if (!hide) { shown += 1; }
    });
    find(".least-words").textContent = `${event.target.value} %: ${shown} of ${edges.length} edges shown`;
  });

  /* Two columns, clicked one after the other: a question, or knowledge. */
  function paired(k) {
    if (first === null) {
      choose(null);
      first = k;
      nodes[k].classList.add("chosen");
      details.replaceChildren(line("p", `${facts.names[k]}: now click the second column`));
      return;
    }
    nodes.forEach((node) => node.classList.remove("chosen"));
    if (first !== k && mode === "why") { aboutPair(first, k); }
    else if (first !== k) {
      said.push({ what: mode, a: facts.names[first], b: facts.names[k] });
      tell();
      choose(null);
    }
    first = null;
  }
  function python(value) { return JSON.stringify(value); }
  function code() {
    const pairsOf = (what) => said.filter((one) => one.what === what)
      .map((one) => `(${python(one.a)}, ${python(one.b)})`);
    const forbidden = [...pairsOf("forbid"), ...said.filter((one) => one.what === "before")
      .map((one) => `(${python(one.b)}, ${python(one.a)})`)];
    const parts = [];
    if (forbidden.length) { parts.push(`forbidden=[${forbidden.join(", ")}]`); }
    if (pairsOf("require").length) { parts.push(`required=[${pairsOf("require").join(", ")}]`); }
    return parts.length ? `result = sp.fit(data, knowledge=sp.Knowledge(${parts.join(", ")}))` : "";
  }
  function tell() {
    const words = { forbid: "does not cause", require: "causes", before: "comes before" };
    const items = said.map((one, k) => {
      const item = line("li", `${one.a} ${words[one.what]} ${one.b} `);
      const button = line("button", "remove");
      button.type = "button";
      button.setAttribute("aria-label", `remove: ${item.textContent}`);
      button.addEventListener("click", () => { said.splice(k, 1); tell(); });
      item.append(button);
      return item;
    });
    find(".said").replaceChildren(...items);
    find(".code").textContent = code();
    const again = find(".again");
    if (again) { again.disabled = !send; }
  }
  root.querySelectorAll(".mode").forEach((radio) => radio.addEventListener("change", () => {
    mode = radio.value; first = null; choose(null);
  }));
  on(".again", "click", () => {
    const both = (what) => said.filter((one) => one.what === what).map((one) => [one.a, one.b]);
    send({
      kind: "fit", required: both("require"),
      forbidden: [...both("forbid"), ...both("before").map(([a, b]) => [b, a])],
    });
  });
  tell();
  if (!send) { root.querySelectorAll(".again").forEach((button) => button.remove()); }
  world.setAttribute("data-ready", "yes");
}

function mountTables(root) {
  root.querySelectorAll("table").forEach((table) => {
    const body = table.tBodies[0];
    if (!body) { return; }
    table.querySelectorAll("th").forEach((head, column) => {
      const button = head.querySelector("button.sort");
      if (!button) { return; }
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down === 1 ? "ascending" : "descending");
        const key = (row) => {
          const cell = row.cells[column];
          const value = cell.dataset.v;
          return value === undefined ? cell.textContent : value === "" ? -Infinity : Number(value);
        };
        const rows = [...body.rows].map((row) => [key(row), row]);
        rows.sort(([a], [b]) => down * (typeof a === "number" ? a - b : String(a).localeCompare(String(b))));
        body.append(...rows.map(([, row]) => row));
      });
    });
    const box = table.closest(".table");
    const filter = box && box.querySelector(".find input");
    if (filter) {
      filter.addEventListener("input", () => {
        const wanted = filter.value.toLowerCase();
        [...body.rows].forEach((row) => { row.hidden = !row.textContent.toLowerCase().includes(wanted); });
      });
    }
  });
}
