/* Plots over time: one a unit, all with one time axis, a line where the animation stands, and the values there. */

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Columns, plotOf, unitName, usualChannels, valueAt } from './channels';
import type { Blocks, Channel, Header, Series } from './data';
import { button, download, fileName, h, number } from './dom';
import { CURVES, SERIES, pick } from './palette';
import { PhasePlot } from './phase';
import { DASHES, type Runs } from './sliders';

export interface Curve {
  label: string;
  color: string;
  dash?: number[];
  time: Float64Array;
  values: Float64Array;
  least: Float64Array | null;
  most: Float64Array | null;
  past?: boolean;      // of an earlier run: it is not read out
}

type Value = number | null;

const cssColor = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* What can be drawn: no infinities; on a logarithmic axis sizes, and zero at its floor. */
function drawable(values: Float64Array, log: boolean, base: number, floor: number): Value[] {
  const out = new Array<Value>(values.length);
  for (let i = 0; i < values.length; i++) {
    const v = log ? Math.abs(values[i]) || floor : values[i] - base;
    out[i] = Number.isFinite(v) && !(log && Number.isNaN(values[i])) ? v : null;
  }
  return out;
}

/* The last tick says the unit of an axis. */
function withUnit(ticks: string[], unit: string): string[] {
  const last = ticks.reduce((found, text, i) => (text ? i : found), -1);
  return ticks.map((text, i) => (i === last ? `${text} ${unit}` : text));
}

/* Where zero stands on a logarithmic axis: so far below the smallest size that its label has room. 0: nothing is zero. */
function floorOf(curves: Curve[]): number {
  let zero = false, least = Infinity, most = 0;
  for (const { values } of curves)
    for (const value of values) {
      const v = Math.abs(value);
      if (v === 0) zero = true;
      else if (v < Infinity) { least = Math.min(least, v); most = Math.max(most, v); }
    }
  if (!zero || !(most > 0)) return 0;
  const low = Math.floor(Math.log10(least) + 1e-9), high = Math.ceil(Math.log10(most) - 1e-9);
  return Number(`1e${Math.max(-300, low - Math.max(1, Math.ceil((high - low) / 8)))}`);
}

function tick(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(7)));
  return Number(value.toPrecision(4)).toExponential().replace('e+', 'e');
}

interface Shared { time(): number; seek(t: number): void; zoomed(low: number, high: number, from: TimePlot): void; hovered(t: number | null): void; title: string }

export class TimePlot {
  readonly element: HTMLElement;
  private readonly readout = h('div', { class: 'readout' });
  private readonly cells: HTMLElement[] = [];
  private readonly largest = h('span', {});
  private readonly hovered = h('span', { class: 'small at' });      // the time at which values are read, while the pointer is on a plot
  private readonly base = h('span', { class: 'small base', title: 'The labels of the axis are added to this number' });
  private readonly whole = button('fit', 'Show the whole time (double-click in the plot)', () => this.showAll());
  private readonly frame = h('div', { class: 'plot' });
  private readonly nothing = h('p', { class: 'dim' }, 'Zero throughout.');
  private readonly playhead = h('div', { class: 'playhead' });
  private plot: uPlot | null = null;
  private curves: Curve[] = [];
  private range: string | null = null;
  private bases: number[] = [];
  private floor = 0;
  private front = 0;

  /* brief: curves have a legend elsewhere; of more than a few only the largest is read out. */
  constructor(private readonly titleText: string, private readonly unit: string, private log: boolean, private readonly change: boolean,
              private readonly shared: Shared, remove: (() => void) | null, private readonly brief = false) {
    const logBox = h('input', { type: 'checkbox' });
    logBox.checked = log;
    logBox.addEventListener('change', () => { this.log = logBox.checked; this.draw(); });
    this.element = h('section', { class: 'card', 'aria-label': `Plot: ${titleText}` },
      h('header', {},
        h('h3', {}, titleText),
        this.hovered, this.base,
        h('label', { class: 'small', title: 'Logarithmic scale of sizes' }, logBox, 'log'),
        this.whole,
        button('image', 'Download this plot as PNG', () => this.png()),
        remove ? button('close', 'Remove this plot', remove) : null),
      this.readout, this.frame);
    this.whole.hidden = true;
  }

  set(curves: Curve[]): void {
    this.curves = curves;
    this.bases = curves.map((c) => (this.change ? c.values.find((v) => Number.isFinite(v)) ?? 0 : 0));
    this.cells.length = 0;
    if (this.few()) this.readout.replaceChildren(...curves.filter((curve) => !curve.past).map((curve) => {
      const swatch = h('i', { class: 'swatch' });
      swatch.style.background = curve.color;
      const cell = h('b', {});
      this.cells.push(cell);
      return h('span', {}, swatch, curve.label, ' ', cell);
    }));
    else this.readout.replaceChildren(this.largest);
    this.draw();
  }

  private few(): boolean {
    return !this.brief || this.curves.length <= 4;
  }

  /* The others pale, and it is drawn once more above them; null: none is in front. */
  bringForward(label: string | null): void {
    this.front = label === null ? 0 : Math.max(0, this.plot?.series.findIndex((s) => s.label === label) ?? 0);
    if (this.front) this.plot?.setSeries(this.front, { focus: true });
    else this.plot?.setSeries(null as unknown as number, { focus: false });
  }

  private drawFront(u: uPlot): void {
    const path = (u.series[this.front] as { _paths?: { stroke?: Path2D } } | undefined)?._paths?.stroke;
    const curve = this.curves.find((c) => c.label === u.series[this.front]?.label);
    if (!this.front || !curve || !(path instanceof Path2D)) return;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    u.ctx.clip();
    u.ctx.strokeStyle = curve.color;
    u.ctx.lineWidth = 2.4 * uPlot.pxRatio;
    u.ctx.setLineDash((curve.dash ?? []).map((d) => d * uPlot.pxRatio));
    u.ctx.stroke(path);
    u.ctx.restore();
  }

  /* Curves of one time, or of several that are merged; where frames hold many rows, their extremes as a band. */
  private data(): { data: uPlot.AlignedData; series: uPlot.Series[]; bands: uPlot.Band[] } {
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    const tables: { time: Float64Array; columns: Value[][] }[] = [];
    this.curves.forEach((curve, i) => {
      const columns = [drawable(curve.values, this.log, this.bases[i], this.floor)];
      series.push({ label: curve.label, stroke: curve.color, width: curve.past ? 1.1 : 1.6, dash: curve.dash, spanGaps: true, pxAlign: 0, points: { show: false } });
      if (curve.least && curve.most && curve.most.some((v, k) => v > curve.least![k])) {
        const index = series.length;
        for (const edge of [curve.most, curve.least]) {
          columns.push(drawable(edge, this.log, this.bases[i], this.floor));
          series.push({ label: '', stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } });
        }
        bands.push({ series: [index, index + 1], fill: `${curve.color}40` });
      }
      tables.push({ time: curve.time, columns });
    });
    const single = tables.every((table) => table.time === tables[0].time);
    const data = single
      ? ([Array.from(tables[0]?.time ?? []), ...tables.flatMap((table) => table.columns)] as uPlot.AlignedData)
      : uPlot.join(tables.map((table) => [Array.from(table.time), ...table.columns] as uPlot.AlignedData));
    return { data, series, bands };
  }

  private width(): number {
    return Math.max(180, Math.floor(this.frame.clientWidth || 400));
  }

  draw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.base.textContent = '';
    this.nothing.remove();
    if (!this.curves.length || !this.frame.isConnected) return;
    if (this.log && this.curves.every((curve) => curve.values.every((v) => v === 0))) {
      this.frame.append(this.nothing);
      return;
    }
    this.floor = this.log ? floorOf(this.curves) : 0;
    const { data, series, bands } = this.data();
    const text = cssColor('--dim'), line = cssColor('--line');
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, font: '11px system-ui, sans-serif', labelFont: '11px system-ui, sans-serif' };
    const upright = this.log ? { ...axis, splits: (u: uPlot, at: number, low: number, high: number) => this.decades(u, at, low, high), filter: (_u: uPlot, splits: number[]) => splits } : { ...axis, splits: (_u: uPlot, _at: number, low: number, high: number) => evenTicks(low, high) };
    this.range = null;
    this.front = 0;
    this.plot = new uPlot({
      width: this.width(), height: 190, pxAlign: false, series, bands,
      legend: { show: false }, focus: { alpha: 0.12 },
      cursor: { y: false, drag: { x: true, y: false, dist: 5 }, sync: { key: 'time' }, points: { size: 6 } },
      select: { show: true, left: 0, top: 0, width: 0, height: 0 },
      scales: { x: { time: false }, y: this.log ? { distr: 3, log: 10, range: (_u, low, high) => paddedLog(low, high) } : { range: (_u, low, high) => padded(low, high) } },
      axes: [
        { ...axis, size: 30, values: (_u, ticks) => withUnit(ticks.map((v) => (v == null ? '' : tick(v))), 's') },
        { ...upright, size: 62, values: (_u, ticks) => this.heights(ticks) },
      ],
      hooks: {
        setScale: [(u, key) => {
          const { min, max } = u.scales.x;
          if (key !== 'x' || min == null || max == null) return;
          this.move();
          const [first, last] = this.ends(u);
          this.whole.hidden = min <= first && max >= last;
          const range = `${min} ${max}`;
          const news = this.range !== null && this.range !== range;      // the first is only the whole
          this.range = range;
          if (news) this.shared.zoomed(min, max, this);
        }],
        draw: [(u) => this.drawFront(u)],
        setCursor: [(u) => this.shared.hovered(u.cursor.left != null && u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : null)],
      },
    }, data, this.frame);
    this.plot.ctx.canvas.setAttribute('role', 'img');
    this.plot.ctx.canvas.setAttribute('aria-label', `${this.titleText}: ${this.curves.map((c) => c.label).join(', ')}`);
    this.plot.over.append(this.playhead);
    this.follow(this.plot);
    this.update(null);
    this.move();
  }

  /* A click sets the time; a finger drags it. */
  private follow(plot: uPlot): void {
    let down = 0;
    const seek = (event: PointerEvent) => this.shared.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x'));
    plot.over.addEventListener('pointerdown', (event) => { down = event.clientX; if (event.pointerType !== 'mouse') seek(event); });
    plot.over.addEventListener('pointermove', (event) => { if (event.pointerType !== 'mouse' && event.buttons) seek(event); });
    plot.over.addEventListener('pointerup', (event) => { if (event.pointerType === 'mouse' && Math.abs(event.clientX - down) < 4) seek(event); });
  }

  zoom(low: number, high: number): void {
    if (!this.plot) return;
    this.range = `${low} ${high}`;
    this.plot.setScale('x', { min: low, max: high });
  }

  private ends(u: uPlot): [number, number] {
    const time = u.data[0];
    return [time[0] ?? 0, time[time.length - 1] ?? 0];
  }

  private showAll(): void {
    if (!this.plot) return;
    const [min, max] = this.ends(this.plot);
    this.plot.setScale('x', { min, max });
  }

  move(): void {
    if (!this.plot) return;
    const { min, max } = this.plot.scales.x;
    const t = this.shared.time();
    this.playhead.hidden = min == null || max == null || t < min || t > max;
    if (!this.playhead.hidden) this.playhead.style.transform = `translateX(${this.plot.valToPos(t, 'x').toFixed(1)}px)`;
  }

  update(hover: number | null): void {
    const t = hover ?? this.shared.time();
    const text = hover === null ? '' : `at ${number(hover, 5)} s`;
    if (this.hovered.textContent !== text) this.hovered.textContent = text;
    if (!this.few()) this.tellLargest(t);
    else this.curves.forEach((curve, i) => {
      if (!curve.past) this.cells[i].textContent = number(valueAt(curve.time, curve.values, t) - (this.log ? 0 : this.bases[i]), 5);
    });
    this.move();
  }

  /* Labels of the vertical axis. Where they differ in their last digits only, they are differences from a number that stands above the plot. */
  private heights(ticks: number[]): string[] {
    const plain = (v: number) => (v == null ? '' : this.floor && v === this.floor ? '0' : tick(v));
    const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : 0, size = Math.max(...ticks.map(Math.abs));
    const apart = this.log || !(step < 2e-6 * size), digits = Math.min(16, Math.ceil(Math.log10(size / step)) + 1);
    const base = apart ? 0 : Number(ticks[0].toPrecision(digits));
    const text = apart ? '' : `${base} + …`;
    if (this.base.textContent !== text) this.base.textContent = text;
    return ticks.map((v) => (apart ? plain(v) : tick(Number((Math.round((v - base) / step) * step).toPrecision(4)))));
  }

  /* Powers of ten, and zero below them. */
  private decades(u: uPlot, axis: number, low: number, high: number): number[] {
    if (!this.floor || low > this.floor * 1.5) return decades(u, axis, low, high);
    const powers = decades(u, axis, low, high), every = powers.length > 1 ? powers[1] / powers[0] : 1;
    return [this.floor, ...powers.filter((v) => v > this.floor * Math.max(1.5, every / 1.5))];
  }

  private tellLargest(t: number): void {
    let most = -1, label = '';
    for (const curve of this.curves) {
      const value = Math.abs(valueAt(curve.time, curve.values, t));
      if (value > most) { most = value; label = curve.label; }
    }
    const text = most < 0 ? '' : `largest of ${this.curves.length} here: ${number(most, 3)}${most > 0 ? `, ${label}` : ''}`;
    if (this.largest.textContent !== text) this.largest.textContent = text;
  }

  resize(): void {
    const width = this.width();
    if (this.plot && this.plot.width !== width) this.plot.setSize({ width, height: 190 });
    else if (!this.plot) this.draw();
    this.move();
  }

  private png(): void {
    if (this.plot) savePng(this.plot.ctx.canvas, this.titleText + (this.unit && !this.titleText.includes(this.unit) ? ` (${this.unit})` : ''), this.curves, this.shared.title);
  }

  destroy(): void {
    this.plot?.destroy();
    this.plot = null;
  }
}

/* Of a logarithmic axis: whole powers of ten, and not more than nine of them. */
function decades(_u: uPlot, _axis: number, low: number, high: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((to - from + 1) / 9));
  const out: number[] = [];
  for (let p = Math.ceil(from / every) * every; p <= to; p += every) out.push(Number(`1e${p}`));
  return out;
}

/* At most six numbers with even steps of 1, 2, 2.5 or 5: also where the steps are smaller than those of uPlot, 1e-16. */
function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  if (!(rough > 0) || !(power > 0)) return [];
  const step = ([1, 2, 2.5, 5].find((k) => k * power >= rough * (1 - 1e-9)) ?? 10) * power, out: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && out.length < 8; k++) out.push(k ? Number((k * step).toPrecision(15)) : 0);
  return out;
}

/* A range with room above and below. It is never so narrow that ticks could not be told apart in double precision. */
function padded(low: number | null, high: number | null): [number, number] {
  if (low == null || high == null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(high > low)) return size > 0 ? [low - 0.1 * size, high + 0.1 * size] : [-1, 1];
  const room = Math.max(0.06 * (high - low), 1e-9 * size);
  return [low - room, high + room];
}

/* Powers of ten around what is there; one decade at least. */
function paddedLog(low: number | null, high: number | null): [number, number] {
  if (low == null || high == null || !(low > 0) || !(high >= low)) return [1e-16, 1];
  const from = Math.floor(Math.log10(low) + 1e-9), to = Math.ceil(Math.log10(high) - 1e-9);
  return [10 ** Math.max(-300, from), 10 ** Math.min(300, Math.max(to, from + 1))];
}

/* The plot with its title and its legend, on the ground of the page. */
export function savePng(source: HTMLCanvasElement, title: string, curves: { label: string; color: string }[], name: string): void {
  const scale = window.devicePixelRatio || 1;
  const head = (24 + 16 * curves.length) * scale;
  const canvas = h('canvas', { width: source.width, height: source.height + head });
  const context = canvas.getContext('2d')!;
  context.fillStyle = cssColor('--panel');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = cssColor('--text');
  context.font = `600 ${13 * scale}px system-ui, sans-serif`;
  context.fillText(title, 10 * scale, 17 * scale);
  context.font = `${11 * scale}px system-ui, sans-serif`;
  curves.forEach((curve, i) => {
    const y = (36 + 16 * i) * scale;
    context.fillStyle = curve.color;
    context.fillRect(10 * scale, y - 6 * scale, 18 * scale, 3 * scale);
    context.fillStyle = cssColor('--text');
    context.fillText(curve.label, 34 * scale, y);
  });
  context.drawImage(source, 0, head);
  canvas.toBlob((blob) => blob && download(fileName(`${name} ${title}`, 'png'), blob));
}

export class PlotPanel {
  readonly element = h('div', { class: 'plots' });
  readonly columns: Columns;
  private readonly cards = h('div', { class: 'cards' });
  private readonly plots = new Map<string, TimePlot>();
  private readonly phases: PhasePlot[] = [];
  private readonly boxes = new Map<string, HTMLInputElement>();
  private shown: string[] = [];
  private selected = 0;
  private readonly wanted: string[][];      // groups of `view:`
  private visible: boolean[];
  private readonly shared: Shared;

  constructor(private readonly header: Header, blocks: Blocks, time: () => number, seek: (t: number) => void, private readonly runs: Runs | null = null) {
    this.columns = new Columns(blocks);
    this.visible = header.series.map(() => true);
    this.shared = {
      time, seek, title: header.title,
      zoomed: (low, high, from) => { for (const plot of this.plots.values()) if (plot !== from) plot.zoom(low, high); },
      hovered: (t) => { for (const plot of this.plots.values()) plot.update(t); },
    };
    this.element.append(this.chooser(), this.cards);
    const first = this.reference();
    this.wanted = (header.scene?.view?.plots ?? []).map((names) => names.flatMap((name) => this.columnsOf(name)));
    if (first) this.show(this.wanted.length ? this.wanted.flat() : usualChannels(first));
  }

  /* A column, or the components of a vector. */
  private columnsOf(name: string): string[] {
    const names = this.reference()?.channels.map((c) => c.name) ?? [];
    return names.includes(name) ? [name] : ['.x', '.y', '.z'].map((end) => name + end).filter((own) => names.includes(own));
  }

  /* Channels of a plot that the model asks for are together and alone; the others by their units. */
  private keyOf(channel: Channel): string {
    const group = this.wanted.findIndex((names) => names.includes(channel.name));
    return group < 0 ? plotOf(channel).key : `view ${group}`;
  }

  /* Channels are those of the selected series, or of the first that has any. */
  private reference(): Series | undefined {
    const chosen = this.header.series[this.selected];
    return chosen?.channels.length ? chosen : this.header.series.find((s) => s.channels.length);
  }

  private chooser(): HTMLElement {
    const list = h('div', { class: 'channel-list' });
    const units = new Map<string, HTMLElement>();
    for (const channel of this.reference()?.channels ?? []) {
      const unit = unitName(channel);
      let group = units.get(unit);
      if (!group) {
        units.set(unit, (group = h('fieldset', {}, h('legend', {}, unit))));
        list.append(group);
      }
      const box = h('input', { type: 'checkbox' });
      box.addEventListener('change', () => this.show(box.checked ? [...this.shown, channel.name] : this.shown.filter((n) => n !== channel.name)));
      this.boxes.set(channel.name, box);
      group.append(h('label', { 'data-name': channel.name.toLowerCase() }, box, channel.name));
    }
    const search = h('input', { type: 'search', placeholder: 'Search channels', 'aria-label': 'Search channels' });
    search.addEventListener('input', () => {
      const wanted = search.value.toLowerCase();
      for (const label of list.querySelectorAll('label')) label.hidden = !label.dataset.name!.includes(wanted);
      for (const group of list.querySelectorAll('fieldset')) group.hidden = !group.querySelector('label:not([hidden])');
    });
    const total = this.boxes.size;
    return h('div', { class: 'chooser' },
      h('details', {}, h('summary', {}, `Channels (${total})`), search, list),
      h('div', { class: 'tools' },
        button('trace', 'Add a phase plot: one channel against another', () => this.addPhase(), 'Phase plot'),
        button('table', 'Download the plotted channels as CSV', () => this.csv(), 'CSV')));
  }

  names(): string[] {
    return this.shown.slice();
  }

  show(names: string[]): void {
    const known = new Map((this.reference()?.channels ?? []).map((c) => [c.name, c]));
    this.shown = [...new Set(names)].filter((name) => known.has(name));
    for (const [name, box] of this.boxes) box.checked = this.shown.includes(name);
    this.fill(this.shown.map((name) => known.get(name)!));
  }

  select(index: number): void {
    this.selected = index;
    this.show(this.shown);
    for (const phase of this.phases) phase.series(this.header.series[index]);
  }

  display(index: number, on: boolean): void {
    this.visible[index] = on;
    this.show(this.shown);
  }

  /* Of one series curves have a colour each; of several each series has one, and channels differ by dashes. */
  private curvesOf(channels: Channel[]): Curve[] {
    const curves: Curve[] = [];
    const several = this.header.series.length > 1;
    channels.forEach((channel, k) => {
      this.header.series.forEach((series, i) => {
        const own = series.channels.find((c) => c.name === channel.name);
        const values = own && this.visible[i] ? this.columns.values(series, own) : null;
        if (!own || !values) return;
        curves.push({
          label: several ? `${channel.name}: ${series.name}` : channel.name,
          color: several ? pick(SERIES, i) : pick(CURVES, k),
          dash: several && k ? [[6, 4], [2, 3], [10, 3, 2, 3]][(k - 1) % 3] : undefined,
          time: this.columns.time(series), values,
          least: this.columns.of(series, series.least, own.column), most: this.columns.of(series, series.most, own.column),
        });
      });
    });
    return [...curves, ...this.past(channels)];
  }

  /* The same channels of the runs before this one, behind those of today: a reader sees them by their dashes. */
  private past(channels: Channel[]): Curve[] {
    return (this.runs?.list ?? []).flatMap((run, i) => channels.flatMap((channel, k) => {
      const values = Object.hasOwn(run.channels, channel.name) ? run.channels[channel.name] : null;
      if (!values) return [];
      return [{
        label: `${channel.name}: ${run.label}`, color: `${pick(CURVES, k)}b0`, dash: DASHES[i], past: true, least: null, most: null,
        time: Float64Array.from(run.time), values: Float64Array.from(values, (v) => v ?? NaN),
      }];
    }));
  }

  /* Curves of the runs that are drawn beside this one. */
  pastCurves(): string[] {
    const series = this.reference();
    return this.past((series?.channels ?? []).filter((c) => this.shown.includes(c.name))).map((c) => c.label);
  }

  private fill(channels: Channel[]): void {
    const groups = new Map<string, Channel[]>();
    for (const channel of channels) {
      const key = this.keyOf(channel);
      groups.set(key, [...(groups.get(key) ?? []), channel]);
    }
    for (const [key, plot] of this.plots) if (!groups.has(key)) { plot.destroy(); plot.element.remove(); this.plots.delete(key); }
    for (const [key, group] of groups) {
      let plot = this.plots.get(key);
      if (!plot) {
        const { title, log, change } = plotOf(group[0]);
        const remove = () => this.show(this.shown.filter((name) => !(this.reference()!.channels.some((c) => c.name === name && this.keyOf(c) === key))));
        plot = new TimePlot(title, group[0].unit, log, change, this.shared, remove);
        this.plots.set(key, plot);
      }
      this.cards.append(plot.element);      // in the order of the channels
      plot.set(this.curvesOf(group));
    }
  }

  addPhase(x?: string, y?: string): void {
    const series = this.reference();
    if (!series || series.channels.length < 1) return;
    const phase = new PhasePlot(series, this.columns, this.shared.time, this.header.title, () => {
      phase.element.remove();
      this.phases.splice(this.phases.indexOf(phase), 1);
    }, x, y);
    this.phases.push(phase);
    this.cards.prepend(phase.element);
    phase.resize();
    phase.element.scrollIntoView({ block: 'nearest' });
  }

  private csv(): void {
    const series = this.reference();
    if (!series) return;
    const channels = series.channels.filter((c) => this.shown.includes(c.name));
    const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const columns = [this.columns.time(series), ...channels.map((c) => this.columns.values(series, c)!)];
    const lines = [['time', ...channels.map((c) => c.name)].map(quote).join(',')];
    for (let i = 0; i < series.frames; i++) lines.push(columns.map((c) => String(c[i])).join(','));
    download(fileName(this.header.title, 'csv'), new Blob([lines.join('\n'), '\n'], { type: 'text/csv' }));
  }

  /* The animation has moved. */
  update(): void {
    if (!this.element.isConnected || this.element.hidden) return;
    for (const plot of this.plots.values()) plot.update(null);
    for (const phase of this.phases) phase.update();
  }

  resize(): void {
    if (!this.element.clientWidth) return;
    for (const plot of this.plots.values()) plot.resize();
    for (const phase of this.phases) phase.resize();
  }

  redraw(): void {
    if (!this.element.clientWidth) return;
    for (const plot of this.plots.values()) plot.draw();
    for (const phase of this.phases) phase.draw();
  }
}
