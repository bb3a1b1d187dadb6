
const token = new URLSearchParams(location.search).get("token");
const at = (id) => document.getElementById(id);
const said = [];  // the knowledge that was drawn

async function ask(path, options) {
  const answer = await fetch(path, { headers: { "X-Token": token }, ...options });
  const tree = await answer.json();
  if (tree.error) { throw new Error(tree.error); }
  return tree;
}
function words(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
function capital(text) { return text.slice(0, 1).toUpperCase() + text.slice(1); }
async function take(file) {
  const most = Number(document.body.dataset.most);
  if (file.size > most) {
    at("told").textContent = `the file has ${Math.round(file.size / 1e6)} MB, and the app takes ${most / 1e6}: use sparsest fit`;
    return;
  }
  at("told").textContent = "reading";
  try {
    const found = await ask(`/table?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    const rows = found.partial ? `the first ${found.rows} rows looked at` : `${found.rows} rows`;
    at("told").textContent = `${found.name}: ${rows}, ${found.columns.length} columns`;
    at("columns").replaceChildren(...found.columns.map((column) => {
      const select = document.createElement("select");
      select.setAttribute("aria-label", `kind of ${column.name}`);
      select.dataset.name = column.name;
      for (const kind of ["", "continuous", "binary", "count", "categorical", "ordinal", "date", "leave out"]) {
        const option = words("option", kind || `${column.kind} (found)`);
        option.value = kind;
        select.append(option);
      }
      const row = document.createElement("tr"), cell = document.createElement("td");
      const name = words("td", column.name);
      name.dir = "auto";
      const order = document.createElement("input");
      order.value = column.levels.join(" < ");
      order.hidden = true;
      order.setAttribute("aria-label", `levels of ${column.name}, from low to high, with < between`);
      select.addEventListener("change", () => { order.hidden = select.value !== "ordinal" || !column.levels.length; });
      cell.append(select, order);
      row.append(name, cell, words("td", column.why), words("td", column.missing), words("td", column.done));
      return row;
    }));
    const findings = found.audit.map((one) => words("li", `${one.severity}: ${one.words}. ${capital(one.advice)}.`));
    at("audit").replaceChildren(...(findings.length ? findings : [words("li", "nothing to remark")]));
    at("table").hidden = at("fitting").hidden = false;
    at("result").hidden = true;
    said.length = 0;
  } catch (error) { at("told").textContent = error.message; }
}
function drawn() {
  const both = (what) => said.filter((one) => one.what === what).map((one) => [one.a, one.b]);
  return {
    required: both("require"), forbidden: [...both("forbid"), ...both("before").map(([a, b]) => [b, a])],
  };
}
async function learn() {
  const kinds = {};
  document.querySelectorAll("#columns select").forEach((select) => {
    const order = select.nextElementSibling;
    if (select.value) { kinds[select.dataset.name] = order.hidden ? select.value : order.value; }
  });
  at("fit").disabled = true;
  at("stop").hidden = false;
  try {
    await ask("/fit", {
      method: "POST", body: JSON.stringify({ kinds, resamples: at("sure").checked ? 50 : 0, costs: at("costs").checked, ...drawn() }),
    });
    for (;;) {
      const now = await ask("/progress");
      at("progress").textContent = now.error || now.words;
      at("bar").hidden = !now.running;
      if (now.share === null) { at("bar").removeAttribute("value"); } else { at("bar").value = now.share; }
      if (!now.running) { if (!now.error) { await show(); } break; }
      await new Promise((done) => setTimeout(done, 200));
    }
  } catch (error) { at("progress").textContent = error.message; }
  at("fit").disabled = false;
  at("stop").hidden = at("bar").hidden = true;
}
async function show() {
  const found = await ask("/shown");
  const told = new DOMParser().parseFromString(found.summary, "text/html");
  at("summary").replaceChildren(...told.body.children);
  const holder = new DOMParser().parseFromString(found.fragment, "text/html");
  at("graph").replaceChildren(...holder.body.children);
  mountGraph(at("graph").querySelector(".sparsest-graph"), found.facts, learn, said);
  const tables = new DOMParser().parseFromString(found.tables, "text/html");
  at("tables").replaceChildren(...tables.body.children);
  mountTables(at("tables"));
  at("report").href = `/report.html?token=${token}`;
  at("code").href = `/fit.py?token=${token}`;
  at("result").hidden = false;
}
at("file").addEventListener("change", (event) => { if (event.target.files[0]) { take(event.target.files[0]); } });
at("fit").addEventListener("click", learn);
at("stop").addEventListener("click", () => ask("/stop", { method: "POST" }).catch(() => {}));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files[0]) { take(event.dataTransfer.files[0]); }
});
