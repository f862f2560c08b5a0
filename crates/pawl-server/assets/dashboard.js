// Charts, drawn from the tables behind them, and what arrives while the page is open.

const root = document.documentElement;

// ---- Colours: tokens, as a canvas understands them ----

const probe = document.createElement("span");
const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

function colourOf(token, opacity = 1) {
  probe.style.color = `var(--${token})`;
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = getComputedStyle(probe).color;
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data;
  return `rgba(${red},${green},${blue},${opacity})`;
}

// ---- Numbers ----

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const units = {
  score: (value) => value.toFixed(2),
  count: (value) => grouped.format(value).replaceAll(",", "\u202f"),
  milliseconds: (value) => (value < 1000 ? `${Math.round(value)} ms` : `${+(value / 1000).toFixed(1)} s`),
};

// ---- A chart ----

// The series and rows of a table, with what each number is shown as and where it leads.
function read(table) {
  const series = [...table.tHead.rows[0].cells].slice(1).map((cell) => ({
    name: cell.textContent,
    shape: cell.dataset.shape,
    colour: cell.dataset.colour,
  }));
  const rows = [...table.tBodies[0].rows].map((row) => {
    const [name, ...cells] = row.cells;
    return {
      name: name.textContent,
      at: "at" in name.dataset ? Number(name.dataset.at) : null,
      href: name.querySelector("a").href,
      cells: cells.map((cell) => ({
        value: "value" in cell.dataset ? Number(cell.dataset.value) : null,
        text: cell.textContent,
        href: cell.querySelector("a")?.href,
      })),
    };
  });
  return { series, rows };
}

const columnOf = (table, index) => table.rows.map((row) => row.cells[index].value);

// An interval is a band between two lines: an unseen one, and the distance to it.
function band(table) {
  const [lower, upper] = ["lower", "upper"].map((shape) => table.series.findIndex((one) => one.shape === shape));
  if (lower < 0) return [];
  const [from, to] = [lower, upper].map((index) => columnOf(table, index));
  const common = { type: "line", stack: "interval", symbol: "none", silent: true, lineStyle: { opacity: 0 }, tooltip: { show: false } };
  const colour = colourOf(table.series[lower].colour, 0.22);
  return [
    { ...common, data: from },
    { ...common, data: to.map((value, at) => (value === null ? null : value - from[at])), areaStyle: { color: colour } },
  ];
}

function drawn(table) {
  const isAt = table.rows.some(({ at }) => at !== null);
  const shapes = {
    steps: ({ colour }) => ({ type: "line", step: "end", symbol: "none", lineStyle: { width: 2, color: colour } }),
    points: ({ colour }) => ({ type: "scatter", symbolSize: 7, itemStyle: { color: colour } }),
    line: ({ colour }) => ({ type: "line", symbolSize: 5, showSymbol: table.rows.length <= 40, lineStyle: { width: 2, color: colour }, itemStyle: { color: colour } }),
    bar: ({ colour }) => ({ type: "bar", stack: "all", barCategoryGap: "20%", itemStyle: { color: colour } }),
  };
  const series = table.series.flatMap((one, index) => {
    const shape = shapes[one.shape]?.({ colour: colourOf(one.colour) });
    const values = columnOf(table, index);
    const data = isAt ? values.map((value, row) => [table.rows[row].at, value]) : values;
    return shape ? [{ ...shape, data, column: index, connectNulls: false }] : [];
  });
  return [...band(table), ...series];
}

function tooltip(table, at) {
  const row = table.rows[at];
  const lines = table.series
    .map(({ name }, index) => `${name}  ${row.cells[index].text}`)
    .filter((_, index) => row.cells[index].value !== 0);
  return [row.name, ...lines].join("\n");
}

// Of an axis of scores: none is below 0 or above 1.
const ends = {
  min: ({ min }) => (Number.isFinite(min) ? Math.max(0, Math.floor(min * 20 - 0.5) / 20) : 0),
  max: ({ max }) => (Number.isFinite(max) ? Math.min(1, Math.ceil(max * 20 + 0.5) / 20) : 1),
};

function options(table, unit) {
  const [text, soft, line, page] = ["text", "text-soft", "line", "page"].map((token) => colourOf(token));
  const font = getComputedStyle(document.body).fontFamily;
  const isBar = table.series[0].shape === "bar";
  return {
    animation: false,
    textStyle: { fontFamily: font, fontSize: 12 },
    grid: { left: 4, right: 20, top: 12, bottom: 2, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    tooltip: {
      trigger: "axis",
      renderMode: "richText",
      confine: true,
      axisPointer: { type: isBar ? "shadow" : "line", lineStyle: { color: soft }, shadowStyle: { color: colourOf("text", 0.06) } },
      backgroundColor: page,
      borderColor: line,
      textStyle: { color: text, fontFamily: font, fontSize: 12, lineHeight: 18 },
      formatter: ([{ dataIndex }]) => tooltip(table, dataIndex),
    },
    xAxis: {
      ...(table.rows.some(({ at }) => at !== null)
        ? { type: "value", min: 0, splitLine: { show: false } }
        : { type: "category", data: table.rows.map(({ name }) => name), boundaryGap: isBar }),
      axisLine: { lineStyle: { color: line } },
      axisTick: { show: false },
      axisLabel: { color: soft, hideOverlap: true },
    },
    yAxis: {
      type: "value",
      ...(unit === "score" && { scale: true, ...ends }),
      splitNumber: 4,
      minInterval: unit === "count" ? 1 : 0,
      axisLabel: { color: soft, formatter: units[unit] },
      splitLine: { lineStyle: { color: line } },
    },
    series: drawn(table),
  };
}

// The row above which a place is: the nearest, where rows have places of their own.
function rowAt({ rows }, x) {
  const distance = ({ at }) => Math.abs(at - x);
  if (rows.every(({ at }) => at === null)) return rows[x];
  return rows.reduce((nearest, row) => (distance(row) < distance(nearest) ? row : nearest));
}

function chart(figure) {
  let table;
  const plot = echarts.init(figure.querySelector(".plot"), null, { renderer: "canvas" });
  const draw = () => {
    table = read(figure.querySelector("table"));
    plot.setOption(options(table, figure.dataset.unit), true);
  };
  draw();
  // Anywhere above a point leads to the rows behind it; on a bar of a flag, to those with it.
  let hit;
  plot.on("click", ({ dataIndex, seriesIndex }) => {
    const { column } = plot.getOption().series[seriesIndex];
    hit = table.rows[dataIndex].cells[column]?.href;
  });
  plot.getZr().on("click", ({ offsetX, offsetY }) => {
    if (!plot.containPixel("grid", [offsetX, offsetY])) return;
    const [x] = plot.convertFromPixel("grid", [offsetX, offsetY]);
    const href = hit ?? rowAt(table, x)?.href;
    hit = undefined;
    if (href) location.assign(href);
  });
  plot.getZr().on("mousemove", ({ offsetX, offsetY }) => {
    plot.getZr().setCursorStyle(plot.containPixel("grid", [offsetX, offsetY]) ? "pointer" : "default");
  });
  new ResizeObserver(() => plot.resize()).observe(plot.getDom());
  return draw;
}

function drawAll() {
  root.append(probe);
  probe.hidden = true;
  const draws = [...document.querySelectorAll("[data-chart]")].filter((figure) => figure.querySelector(".plot")).map(chart);
  const redraw = () => draws.forEach((draw) => draw());
  document.addEventListener("pawl:theme", redraw);
  document.addEventListener("pawl:tables", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

// ---- What arrives ----

function listen(line) {
  const stored = line.querySelector("[data-stored]");
  const arriving = line.querySelector("[data-arriving]");
  const seen = [];
  const source = new EventSource(line.dataset.live);
  source.addEventListener("open", () => (line.dataset.state = "open"));
  source.addEventListener("error", () => (line.dataset.state = "closed"));
  source.addEventListener("message", ({ data, timeStamp }) => {
    const today = JSON.parse(data);
    stored.textContent = units.count(today.stored);
    // Of the last minute, as far as the page was open.
    seen.push({ at: timeStamp, stored: today.stored });
    while (seen[0].at < timeStamp - 60000) seen.shift();
    const more = today.stored - seen[0].stored;
    const text = more > 0 ? `${units.count(more)} in the last minute` : "";
    if (arriving.textContent !== text) arriving.textContent = text;
  });
  addEventListener("pagehide", () => source.close());
}

// ---- What goes on: parts of the page, taken anew from its own address when there is something new ----

const FOLLOWED = ["#facts", "#trouble", "#score table", "#tree", "#candidates-title", "#candidates table", "#opened"];

// Whether somebody has chosen the candidate below, or reads in it: then it stays.
const isRead = (part) => part.id === "opened" && (location.search.includes("candidate=") || part.querySelector("details[open]"));

// Says whether there will be more.
async function take() {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!response.ok) return true;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const selector of FOLLOWED) {
    const [part, next] = [document, page].map((of) => of.querySelector(selector));
    if (!part || !next || isRead(part) || part.innerHTML === next.innerHTML) continue;
    // Where somebody is by keyboard stays where they are.
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    part.replaceChildren(...next.childNodes);
    if (focused) part.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
  document.dispatchEvent(new CustomEvent("pawl:tables"));
  const goesOn = page.querySelector("[data-follows]") !== null;
  if (!goesOn) document.querySelector("[data-stops]")?.remove();
  return goesOn;
}

function follow(part) {
  const source = new EventSource(part.dataset.follows);
  let isTaking = false;
  let isNew = false;
  const next = async () => {
    if (isTaking) return void (isNew = true);
    isTaking = true;
    const goesOn = await take().catch(() => true);
    isTaking = false;
    if (!goesOn) return source.close();
    if (isNew) {
      isNew = false;
      next();
    }
  };
  source.addEventListener("message", next);
  addEventListener("pagehide", () => source.close());
}

if (globalThis.echarts) drawAll();
const live = document.querySelector("[data-live]");
if (live) listen(live);
const followed = document.querySelector("[data-follows]");
if (followed) follow(followed);
