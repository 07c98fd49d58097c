/* Chance: the distribution of a summary, and quantiles of channels over time. */

import type { Blocks } from './data';
import { h, number } from './dom';
import { CURVES, SERIES, pick } from './palette';
import { Chart, padded, scaleOf } from './study_axes';
import { type Column, type StudyBands, quantile } from './study_data';
import { type Owner, type View, card, chooser, plottable, tick } from './study_view';

export class Histogram implements View {
  readonly element: HTMLElement;
  column: Column;
  counts: number[] = [];
  private log = false;
  private readonly chart: Chart;
  private readonly facts = h('div', { class: 'readout' });
  private edges: number[] = [];

  constructor(private readonly owner: Owner) {
    const columns = plottable(owner.table).filter((c) => !c.words);
    this.column = owner.table.summaries[0] ?? columns[0];
    this.chart = new Chart('Distribution', () => this.draw(), 0.5);
    this.chart.on((px) => this.click(px), (px) => this.note(px));
    this.element = card('Distribution', [
      chooser('of', columns.map((c) => c.name), columns.indexOf(this.column), (i) => { this.column = columns[i]; this.draw(); }).element,
      tick('log across', false, (on) => { this.log = on; this.draw(); }),
    ], this.chart.element, this.facts);
  }

  private bin(px: number): number {
    const { chart } = this, v = chart.xs.value((px - chart.left) / (chart.width - chart.left - chart.right));
    return this.edges.findIndex((e, i) => i < this.counts.length && v >= e && v <= this.edges[i + 1]);
  }

  private note(px: number): string {
    const i = px < 0 ? -1 : this.bin(px);
    return i < 0 ? 'A click shows the run nearest to that value.' : `${number(this.edges[i], 4)} to ${number(this.edges[i + 1], 4)}: ${this.counts[i].toLocaleString('en')} runs`;
  }

  private click(px: number): void {
    const { chart } = this, wanted = chart.xs.value((px - chart.left) / (chart.width - chart.left - chart.right)), V = this.column.values;
    let best = -1, least = Infinity;
    for (const row of this.owner.table.shown) {
      const d = Math.abs(V[row] - wanted);
      if (d < least) { least = d; best = row; }
    }
    if (best >= 0) this.owner.choose(best);
  }

  /* Freedman and Diaconis: a bin is twice the quartiles' distance over the cube root of the number. */
  private bins(sorted: Float64Array): number {
    const spread = quantile(sorted, 0.75) - quantile(sorted, 0.25), range = sorted[sorted.length - 1] - sorted[0];
    const wanted = spread > 0 ? range / ((2 * spread) / Math.cbrt(sorted.length)) : 20;
    return Math.round(Math.min(120, Math.max(8, wanted)));
  }

  draw(): void {
    const { chart, column } = this, V = column.values;
    if (!this.element.clientWidth) return;
    const log = this.log && column.extent[0] > 0;
    const sorted = Float64Array.from(this.owner.table.shown, (row) => V[row]).filter((v) => v - v === 0).sort();
    const n = sorted.length, xs = scaleOf(n ? sorted[0] : 0, n ? sorted[n - 1] : 1, log), bins = n ? this.bins(log ? sorted.map(Math.log) : sorted) : 8;
    this.edges = Array.from({ length: bins + 1 }, (_, i) => xs.value(i / bins));
    this.counts = new Array<number>(bins).fill(0);
    for (const v of sorted) this.counts[Math.min(bins - 1, Math.max(0, Math.floor(xs.place(v) * bins)))]++;
    if (!chart.begin(padded(xs), scaleOf(0, 1.05 * Math.max(1, ...this.counts), false), column.title, 'runs')) return;
    const c = chart.context;
    chart.inside(() => {
      c.fillStyle = CURVES[0];
      this.counts.forEach((count, i) => { const x = chart.x(this.edges[i]); c.fillRect(x, chart.y(count), Math.max(1, chart.x(this.edges[i + 1]) - x - 1), chart.y(0) - chart.y(count)); });
      const row = this.owner.selected();
      if (row >= 0) { const x = chart.x(V[row]); c.strokeStyle = chart.tone.accent; c.lineWidth = 2; c.beginPath(); c.moveTo(x, chart.top); c.lineTo(x, chart.height - chart.bottom); c.stroke(); }
    });
    this.say(sorted);
    chart.readout.textContent = this.note(-1);
  }

  private say(sorted: Float64Array): void {
    const n = sorted.length;
    let mean = 0, square = 0;
    sorted.forEach((v, i) => { const change = v - mean; mean += change / (i + 1); square += change * (v - mean); });
    const facts: [string, number][] = [['mean', mean], ['deviation', n > 1 ? Math.sqrt(square / (n - 1)) : 0], ['least', sorted[0]], ['5 %', quantile(sorted, 0.05)], ['median', quantile(sorted, 0.5)], ['95 %', quantile(sorted, 0.95)], ['largest', sorted[n - 1]]];
    this.facts.replaceChildren(h('span', {}, h('b', {}, n.toLocaleString('en')), ' runs'), ...(n ? facts.map(([label, v]) => h('span', {}, `${label} `, h('b', {}, number(v)))) : []));
  }
}

export interface Track { name: string; time: Float64Array; values: (channel: string) => ArrayLike<number> | null }

/* Bands: from the least to the largest, 5 to 95, 25 to 75 percent, and the median; over them the run that is shown. */
export class Bands implements View {
  readonly element: HTMLElement;
  channel = 0;
  group = 0;
  private readonly chart: Chart;
  private readonly legend = h('div', { class: 'readout' });

  constructor(private readonly bands: StudyBands, private readonly blocks: Blocks, private readonly track: () => Track | null, private readonly time: () => number, seek: (t: number) => void) {
    this.chart = new Chart('Quantiles over time', () => this.draw(), 0.55);
    this.chart.on((px) => seek(this.chart.xs.value((px - this.chart.left) / (this.chart.width - this.chart.left - this.chart.right))), (px) => this.note(px));
    const tools = [chooser('of', bands.channels.map((c) => c.name), 0, (i) => { this.channel = i; this.draw(); }).element];
    if (bands.groups.length > 1) tools.push(chooser('over', bands.groups.map((g) => g.label), 0, (i) => { this.group = i; this.draw(); }).element);
    this.element = card('Quantiles over time', tools, this.chart.element, this.legend);
  }

  private levels(): Float64Array {
    return this.blocks.get(this.bands.groups[this.group].blocks[this.channel]) as Float64Array;
  }

  private note(px: number): string {
    const { chart, bands } = this, time = this.blocks.get(bands.time) as Float64Array;
    if (px < 0) return `Quantiles of ${bands.runs.toLocaleString('en')} runs. A click sets the time.`;
    const t = chart.xs.value((px - chart.left) / (chart.width - chart.left - chart.right));
    let k = 0;
    while (k + 1 < time.length && time[k + 1] <= t) k++;
    const at = (i: number) => number(this.levels()[k * bands.levels.length + i], 4);
    return `${number(time[k], 4)} s: median ${at(3)}, half of the runs ${at(2)} to ${at(4)}, 90 % ${at(1)} to ${at(5)}, all ${at(0)} to ${at(6)}`;
  }

  draw(): void {
    const { chart, bands } = this, time = this.blocks.get(bands.time) as Float64Array, Q = this.levels(), n = bands.levels.length;
    let low = Infinity, high = -Infinity;
    for (const v of Q) if (v - v === 0) { low = Math.min(low, v); high = Math.max(high, v); }
    const channel = bands.channels[this.channel];
    if (!chart.begin(scaleOf(time[0], time[time.length - 1], false), padded(scaleOf(low <= high ? low : 0, low <= high ? high : 1, false)), 'time, s', channel.unit ? `${channel.name}, ${channel.unit}` : channel.name)) return;
    const c = chart.context, good = Array.from(time.keys()).filter((k) => Number.isFinite(Q[k * n]));
    chart.inside(() => {
      for (const [a, b, alpha] of [[0, 6, 0.15], [1, 5, 0.2], [2, 4, 0.28]]) {
        c.globalAlpha = alpha;
        c.fillStyle = CURVES[0];
        c.beginPath();
        good.forEach((k) => c.lineTo(chart.x(time[k]), chart.y(Q[k * n + b])));
        [...good].reverse().forEach((k) => c.lineTo(chart.x(time[k]), chart.y(Q[k * n + a])));
        c.fill();
      }
      c.globalAlpha = 1;
      this.line(good.map((k) => [time[k], Q[k * n + 3]]), CURVES[0]);
      this.overlay(channel.name);
    });
    chart.readout.textContent = this.note(-1);
  }

  private line(points: ArrayLike<number>[], color: string): void {
    const { chart } = this, c = chart.context;
    c.strokeStyle = color;
    c.lineWidth = 2;
    c.beginPath();
    for (const [t, v] of points as [number, number][]) c.lineTo(chart.x(t), chart.y(v));
    c.stroke();
  }

  private overlay(channel: string): void {
    const track = this.track(), values = track?.values(channel) ?? null, { chart } = this, c = chart.context;
    if (track && values) this.line(Array.from(track.time, (t, i) => [t, values[i]]), pick(SERIES, 1));
    if (track) {
      c.strokeStyle = chart.tone.accent;
      c.lineWidth = 1.5;
      c.beginPath();
      c.moveTo(chart.x(this.time()), chart.top);
      c.lineTo(chart.x(this.time()), chart.height - chart.bottom);
      c.stroke();
    }
    const swatch = (color: string, text: string) => { const s = h('i', { class: 'swatch' }); s.style.background = color; return h('span', {}, s, text); };
    this.legend.replaceChildren(swatch(CURVES[0], 'median, bands: 50, 90, 100 % of the runs'), ...(values ? [swatch(pick(SERIES, 1), track!.name)] : []));
  }
}
