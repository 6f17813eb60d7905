"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const GUTTER = 64, EDGE = 24, HEIGHT = 218; // GUTTER and EDGE as the bands have them in the style
  const shown = data.runs.map(() => true);
  const keys = [...document.querySelectorAll("#runs .key")];
  const root = getComputedStyle(document.documentElement);
  const colour = (name) => root.getPropertyValue("--" + name).trim();
  const lineColour = (i) => getComputedStyle(keys[i]).stroke;
  const dash = (i) => {
    const d = getComputedStyle(keys[i]).strokeDasharray;
    return d === "none" ? [] : d.split(",").map(parseFloat);
  };
  const element = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const svg = (tag, cls) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    if (cls) e.setAttribute("class", cls);
    return e;
  };

  // Numbers, with three digits that count.
  const short = (v) => v >= 99.95 ? Math.round(v).toLocaleString("en") : v >= 9.995 ? v.toFixed(1) : v.toFixed(2);
  const tidy = (v) => v === 0 ? "0" : v < 0.005 ? v.toPrecision(2) : short(v).replace(/\.?0+$/, (z) => z.startsWith(".") ? "" : z);
  const took = (s) => {
    if (s === 0) return "0 s";
    if (s < 0.9995e-6) return tidy(s * 1e9) + " ns";
    if (s < 0.9995e-3) return tidy(s * 1e6) + " µs";
    if (s < 0.9995) return tidy(s * 1e3) + " ms";
    return tidy(s) + " s";
  };
  const format = { time: took, rate: (v) => tidy(v) + "/s", count: tidy };
  // A point in time, in the unit that suits the whole.
  const unit = data.end > 4 * 86400 ? [86400, "d"] : data.end > 4 * 3600 ? [3600, "h"] : data.end > 600 ? [60, "min"] : [1, "s"];
  const tickAt = (s) => +(s / unit[0]).toFixed(6) + " " + unit[1];
  const instant = (s) => (s / unit[0]).toFixed(data.end > 4 * 86400 ? 3 : data.end > 600 ? 2 : data.end > 10 ? 1 : 3) + " " + unit[1];

  const plots = [], lanes = [];
  let cursor = null; // the instant that is pointed at

  // ---- The bands of states.

  const stepAt = (steps, t) => {
    let low = 0, high = steps.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (steps[mid][0] <= t) low = mid; else high = mid - 1;
    }
    return steps[low];
  };
  const stateText = (lane, t) => {
    if (t > lane.until) return "not known";
    const [at, open, half, why] = stepAt(lane.steps, t);
    if (lane.breakers > 1) {
      const parts = [];
      if (open) parts.push(open + " open");
      if (half) parts.push(half + " half-open");
      return parts.length ? parts.join(", ") + " of " + lane.breakers : "all closed";
    }
    if (open) return "open since " + instant(at) + (why ? ": " + why : "");
    if (half) return "half-open since " + instant(at);
    return at > 0 ? "closed since " + instant(at) : "closed";
  };
  // The area of a state: from a height to another, in parts of all breakers.
  const area = (lane, from, to) => {
    let d = "";
    for (let i = 0; i < lane.steps.length; i++) {
      const s = lane.steps[i], low = from(s), high = to(s);
      if (high <= low) continue;
      const x = s[0], x2 = Math.min(i + 1 < lane.steps.length ? lane.steps[i + 1][0] : lane.until, lane.until);
      if (x2 <= x) continue;
      const y = 100 - 100 * high / lane.breakers, y2 = 100 - 100 * low / lane.breakers;
      d += `M${x} ${y}H${x2}V${y2}H${x}Z`;
    }
    return d;
  };
  const addLane = (run, i, lane) => {
    const box = element("div", "lane"), name = element("div", "name"), now = element("span", "now");
    name.append(keys[i].cloneNode(true), element("span", "", run.name + (lane.name ? ": " + lane.name : "")), now);
    const band = element("div", "band"), line = element("div", "line"), picture = svg("svg", "states");
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("role", "img");
    const opens = lane.steps.filter((s, j) => s[1] > (j ? lane.steps[j - 1][1] : 0)).length;
    picture.setAttribute("aria-label", `States of ${run.name}: opened ${opens} times`);
    for (const [cls, d] of [
      ["at-open", area(lane, () => 0, (s) => s[1])],
      ["at-half", area(lane, (s) => s[1], (s) => s[1] + s[2])],
      ["at-unknown", lane.until < data.end && lane.until < run.row * run.sent.length ? `M${lane.until} 0H${data.end}V100H${lane.until}Z` : ""],
    ]) {
      const path = svg("path", cls);
      path.setAttribute("d", d);
      picture.append(path);
    }
    line.hidden = true;
    band.append(picture, line);
    box.append(name, band);
    document.getElementById("lanes").append(box);
    const self = { box, band, picture, line, now, lane, run: i };
    lanes.push(self);
    band.addEventListener("pointermove", (e) => {
      const r = band.getBoundingClientRect();
      const [from, to] = range;
      point(from + (to - from) * (e.clientX - r.left) / r.width);
    });
    band.addEventListener("pointerleave", () => point(null));
    band.addEventListener("dblclick", () => plots.forEach((u) => u.setScale("x", { min: 0, max: data.end })));
  };
  let range = [0, data.end];
  const showRange = (from, to) => {
    range = [from, to];
    for (const l of lanes) l.picture.setAttribute("viewBox", `${from} 0 ${Math.max(to - from, 1e-9)} 100`);
  };
  const showLanes = () => {
    const [from, to] = range;
    for (const l of lanes) {
      l.line.hidden = cursor === null || cursor < from || cursor > to;
      l.now.textContent = cursor === null ? "" : stateText(l.lane, cursor);
      if (!l.line.hidden) l.line.style.left = 100 * (cursor - from) / (to - from) + "%";
    }
  };
  // point moves the line to an instant, everywhere; null takes it away.
  const point = (t) => {
    for (const u of plots) u.setCursor(t === null ? { left: -10, top: -10 } : { left: u.valToPos(t, "x"), top: 10 }, true, false);
    cursor = t;
    showLanes();
  };

  // ---- The charts.

  // The points of all runs on one axis. A value holds from its instant to the next.
  const table = (series) => {
    return data.runs.map((r) => {
      const ys = r[series].concat(r[series].slice(-1));
      return [ys.map((_, i) => i * r.row), ys];
    });
  };
  const shade = (u) => {
    const { ctx } = u, { left, top, width, height } = u.bbox, [from, to] = [u.scales.x.min, u.scales.x.max];
    const edge = Math.max(Math.round(uPlot.pxRatio), 1);
    let free = left; // up to where the names of faults have been written
    ctx.save();
    ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
    ctx.textBaseline = "bottom";
    ctx.textAlign = "left";
    for (const f of data.faults) {
      if (f.to <= from || f.from >= to || (f.from <= 0 && f.to >= data.end)) continue;
      const x = Math.max(u.valToPos(f.from, "x", true), left), x2 = Math.min(u.valToPos(f.to, "x", true), left + width);
      ctx.fillStyle = colour("fault");
      ctx.fillRect(x, top, Math.max(x2 - x, 1), height);
      ctx.fillStyle = colour("fault-edge");
      ctx.fillRect(x, top, Math.max(x2 - x, 1), 2 * edge);
      const long = ctx.measureText(f.what).width;
      if (x >= free && x + long <= left + width) {
        ctx.fillText(f.what, x, top - 2 * edge);
        free = x + long + 8 * edge;
      }
    }
    ctx.restore();
  };
  const stepped = uPlot.paths.stepped({ align: 1 });
  const addPlot = (host) => {
    const series = host.dataset.series, kind = host.dataset.kind, log = kind === "time";
    const show = format[kind];
    // Of a logarithmic scale the powers of ten are enough.
    const filter = (u, splits) => log ? splits.map((v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? v : null) : splits;
    const readout = element("ul", "readout"), at = element("li", "", "at —");
    readout.append(at);
    const values = data.runs.map((r, i) => {
      const li = element("li"), b = element("b", "", "—");
      li.append(keys[i].cloneNode(true), element("span", "", r.name), b);
      li.title = r.name;
      readout.append(li);
      return { li, b };
    });
    host.before(readout);
    let joined = uPlot.join(table(series));
    if (log) joined = joined.map((ys, i) => i ? ys.map((v) => v === undefined ? v : v > 0 ? v : null) : ys);
    const u = new uPlot({
      width: host.clientWidth || 640, height: HEIGHT, padding: [18, EDGE, 0, 0],
      legend: { show: false },
      cursor: {
        y: false, sync: { key: "time" }, drag: { x: true, y: false },
        points: { size: 7 },
        // The value under the pointer is that of the row it is in, not of the nearest mark.
        dataIdx: (u, si, idx, t) => {
          const xs = u.data[0], ys = u.data[si];
          let i = idx;
          while (i > 0 && (xs[i] > t || ys[i] === undefined)) i--;
          return i;
        },
      },
      scales: {
        x: { time: false, range: (u, min, max) => [Math.max(min, 0), Math.min(max, data.end)] },
        y: log ? { distr: 3, range: (u, min, max) => {
          if (!(max > 0)) return [1e-3, 1];
          const low = 10 ** Math.floor(Math.log10(min) + 1e-9);
          return [low, Math.max(10 ** Math.ceil(Math.log10(max) - 1e-9), 10 * low)];
        } } : { range: (u, min, max) => [0, max > 0 ? max * 1.05 : 1] },
      },
      axes: [
        { size: 34, stroke: () => colour("quiet"), grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("rule"), width: 1, size: 5 },
          space: 70, incrs: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].concat([1, 2, 5, 10, 15, 30].map((m) => m * 60), [1, 2, 3, 6, 12, 24, 48, 120, 240].map((h) => h * 3600)),
          values: (u, splits) => splits.map(tickAt) },
        { size: GUTTER, stroke: () => colour("quiet"), grid: { stroke: () => colour("grid"), width: 1, filter }, ticks: { stroke: () => colour("rule"), width: 1, size: 5, filter }, filter,
          values: (u, splits) => splits.map((v) => v === null ? "" : show(v)) },
      ],
      series: [{}].concat(data.runs.map((r, i) => ({
        label: r.name, stroke: () => lineColour(i), width: 2, dash: dash(i), paths: stepped, points: { show: false },
      }))),
      hooks: {
        drawClear: [shade],
        setScale: [(u, key) => { if (key === "x") { showRange(u.scales.x.min, u.scales.x.max); showLanes(); } }],
        setCursor: [(u) => {
          const out = u.cursor.left < 0;
          const t = out ? null : u.posToVal(u.cursor.left, "x");
          at.textContent = out ? "at —" : "at " + instant(t);
          values.forEach((v, i) => {
            const y = out ? null : u.data[i + 1][u.cursor.idxs[i + 1]];
            v.b.textContent = y === null || y === undefined ? "—" : show(y);
          });
          if (u === plots[0] || plots.length === 0) { cursor = t; showLanes(); }
        }],
      },
    }, joined, host);
    host.tabIndex = 0;
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", "Chart of " + host.dataset.name + " over time for " + data.runs.map((r) => r.name).join(", "));
    host.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (by) {
        e.preventDefault();
        const row = data.runs[0].row, [from, to] = range;
        point(Math.min(Math.max((cursor === null ? from : cursor + by * Math.max(row, (to - from) / 200)), from), to));
      } else if (e.key === "Escape") {
        point(null);
      }
    });
    host.addEventListener("blur", () => point(null));
    u.readout = values;
    plots.push(u);
  };

  data.runs.forEach((run, i) => run.lanes.forEach((lane) => addLane(run, i, lane)));
  document.querySelectorAll(".plot").forEach(addPlot);
  showRange(0, data.end);

  // ---- What the reader may change.

  document.querySelectorAll("#runs button").forEach((button, i) => {
    button.addEventListener("click", () => {
      shown[i] = !shown[i];
      button.setAttribute("aria-pressed", String(shown[i]));
      for (const u of plots) {
        u.setSeries(i + 1, { show: shown[i] });
        u.readout[i].li.classList.toggle("off", !shown[i]);
      }
      for (const l of lanes) if (l.run === i) l.box.classList.toggle("off", !shown[i]);
    });
  });
  const fit = (width) => plots.forEach((u) => u.setSize({ width: width || Math.max(u.root.parentElement.clientWidth, 200), height: HEIGHT }));
  new ResizeObserver(() => fit()).observe(document.querySelector("main"));
  const redraw = () => plots.forEach((u) => u.redraw(false, true));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // On paper: no wider than a page, in its colours, and with what is folded away.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((d) => { d.open = true; });
    document.documentElement.classList.add("paper");
    fit(660); // as wide as the bands are on paper
    redraw();
  });
  addEventListener("afterprint", () => {
    folded.forEach((d) => { d.open = false; });
    document.documentElement.classList.remove("paper");
    fit();
    redraw();
  });
  document.documentElement.dataset.ready = "yes"; // for those who wait for the charts
})();
