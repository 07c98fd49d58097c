/* Methods side by side: their errors over time, one curve a method, and their table. */

import { Columns, isError } from './channels';
import type { Blocks, Header, Series } from './data';
import { button, download, fileName, h, pressed } from './dom';
import { factText } from './evidence';
import { SERIES, pick } from './palette';
import { type Curve, TimePlot } from './plots';

export interface Choice { select(index: number): void; display(index: number, on: boolean): void; seek(t: number): void; time(): number }

interface Quantity { key: string; title: string; unit: string }

/* Errors in the order of the page; the distance has a block of its own, the others are channels. */
const QUANTITIES: Quantity[] = [
  { key: 'difference', title: 'Distance from the reference: lengths of the model, or rad', unit: '' },
  { key: 'error.energy', title: 'Error of the energy balance, relative', unit: '' },
  { key: 'error.position', title: 'Largest residual of a constraint: position, m or rad', unit: 'm or rad' },
  { key: 'error.velocity', title: 'Largest residual of a constraint: velocity, m/s or rad/s', unit: 'm/s or rad/s' },
  { key: 'error.momentum', title: 'Error of the conserved momenta, relative', unit: '' },
  { key: 'error.ignorable', title: 'Error of the momenta of ignorable coordinates, relative', unit: '' },
];

/* More methods than colours: the second round is dashed, the third dotted. */
const DASHES = [undefined, [7, 4], [2, 3]];
const dashOf = (i: number) => DASHES[Math.floor(i / SERIES.length) % DASHES.length];

export function swatchOf(i: number): HTMLElement {
  const swatch = h('i', { class: 'swatch' });
  const color = pick(SERIES, i), dash = dashOf(i);
  swatch.style.background = dash ? `repeating-linear-gradient(90deg, ${color} 0 ${dash[0] / 1.5}px, transparent 0 ${(dash[0] + dash[1]) / 1.5}px)` : color;
  return swatch;
}

/* "All 34 methods agree with the reference to 2.1e-7 of the model's length, or rad: one mechanism is shown." */
export function agreementText(header: Header): string | null {
  const { agreement } = header;
  if (!agreement?.agree) return null;
  const all = agreement.methods === 1 ? 'The method agrees' : `All ${agreement.methods} methods agree`;
  return `${all} with the reference to ${Number((agreement.difference ?? 0).toPrecision(2))} of the model’s length, or rad: one mechanism is shown.`;
}

export class Methods {
  readonly element = h('div', { class: 'methods' });
  private readonly columns: Columns;
  private readonly plots: { quantity: Quantity; plot: TimePlot }[];
  private readonly radios: HTMLInputElement[] = [];
  private readonly ticks: HTMLInputElement[] = [];
  private readonly chips = new Map<number, HTMLButtonElement>();
  private readonly visible: boolean[];

  constructor(private readonly header: Header, private readonly blocks: Blocks, private readonly choice: Choice) {
    this.columns = new Columns(blocks);
    this.visible = header.series.map((s) => s.frames > 0);
    const shared = {
      time: choice.time, seek: choice.seek, title: header.title,
      zoomed: (low: number, high: number, from: TimePlot) => { for (const { plot } of this.plots) if (plot !== from) plot.zoom(low, high); },
      hovered: (t: number | null) => { for (const { plot } of this.plots) plot.update(t); },
    };
    this.plots = QUANTITIES.filter((q) => header.series.some((s) => this.values(s, q)))
      .map((quantity) => ({ quantity, plot: new TimePlot(quantity.title, quantity.unit, true, false, shared, null, true) }));
    if (this.plots.length) this.element.append(this.legend(), ...this.plots.map(({ plot }) => plot.element));
    if (this.plots.length > 1 && !this.plots.some(({ quantity }) => /momentum|ignorable/.test(quantity.key)))
      this.element.append(h('p', { class: 'dim missing' }, 'No momentum of this model is conserved: there is no plot of one.'));
    this.element.append(this.table());
  }

  /* A quantity of a method over time; null where it has none. */
  private values(series: Series, { key }: Quantity): Float64Array | null {
    if (!series.frames) return null;
    const channel = series.channels.find((c) => c.name === key);
    const values = key !== 'difference' ? channel && this.columns.values(series, channel)
      : series.error == null ? null : this.blocks.get(series.error) as Float64Array;
    return values && values.some((v) => Number.isFinite(v)) ? values : null;
  }

  private curves(quantity: Quantity): Curve[] {
    return this.header.series.flatMap((series, i) => {
      const values = this.visible[i] ? this.values(series, quantity) : null;
      if (!values || (i === 0 && quantity.key === 'difference' && values.every((v) => v === 0))) return [];      // the reference itself
      return [{ label: series.name, color: pick(SERIES, i), dash: dashOf(i), time: this.columns.time(series), values, least: null, most: null }];
    });
  }

  /* One legend for all plots: a click takes a method out of them and brings it back, pointing at it brings it forward. */
  private legend(): HTMLElement {
    const list = h('div', { class: 'chips', role: 'group', 'aria-label': 'Methods in the plots' });
    this.header.series.forEach((series, i) => {
      if (!series.frames) return;
      const chip = h('button', { type: 'button', class: 'chip', onclick: () => this.set([i], !this.visible[i]) }, swatchOf(i), series.name);
      const point = (on: boolean) => () => { for (const { plot } of this.plots) plot.bringForward(on ? series.name : null); };
      for (const [name, on] of [['pointerenter', true], ['focus', true], ['pointerleave', false], ['blur', false]] as const) chip.addEventListener(name, point(on));
      pressed(chip, true);
      this.chips.set(i, chip);
      list.append(chip);
    });
    const every = [...this.chips.keys()];
    return h('section', { class: 'card' },
      h('header', {}, h('h3', {}, 'Errors over time'),
        h('button', { type: 'button', class: 'word', onclick: () => this.set(every, true) }, 'all'),
        h('button', { type: 'button', class: 'word', onclick: () => this.set(every, false) }, 'none'),
        button('table', 'Download the errors of all methods as CSV', () => this.csv())),
      list, h('p', { class: 'dim' }, 'A click takes a method out or brings it back. Zero stands at the lower edge of a logarithmic plot.'));
  }

  private set(which: number[], on: boolean): void {
    for (const i of which) {
      if (this.visible[i] === on) continue;
      this.visible[i] = on;
      this.ticks[i].checked = on;
      const chip = this.chips.get(i);
      if (chip) pressed(chip, on);
      this.choice.display(i, on);
    }
    this.draw();
  }

  /* Wide: a line a method. Narrow: its name, and the numbers below it (theme.css). */
  private table(): HTMLElement {
    const labels = [...new Set(this.header.series.flatMap((s) => (s.evidence ?? []).map((f) => f.label)))];
    const rows = this.header.series.map((series, i) => {
      const show = h('input', { type: 'checkbox', 'aria-label': `Show ${series.name}` });
      show.checked = this.visible[i];
      show.disabled = !series.frames;
      show.addEventListener('change', () => this.set([i], show.checked));
      this.ticks.push(show);
      const chosen = h('input', { type: 'radio', name: 'series', 'aria-label': `Names and arrows of ${series.name}` });
      chosen.checked = i === 0;
      chosen.disabled = !series.frames;
      chosen.addEventListener('change', () => this.choice.select(i));
      this.radios.push(chosen);
      const facts = new Map((series.evidence ?? []).map((f) => [f.label, factText(f)]));
      return h('tr', { role: 'row' }, h('th', { scope: 'row', role: 'rowheader' }, h('div', { class: 'method' }, show, chosen, h('span', {}, swatchOf(i), series.name))),
        ...(facts.size ? labels.map((l) => h('td', { role: 'cell', 'data-label': l }, facts.get(l) ?? '')) : []),
        series.failed ? h('td', { role: 'cell', colspan: Math.max(1, labels.length), class: 'failed' }, series.failed) : null);
    });
    /* folded, columns are as wide as their longest word */
    const word = (texts: string[]) => Math.max(3, ...texts.flatMap((t) => t.split(' ')).map((w) => w.length + 0.6 * (w.match(/[mw]/g)?.length ?? 0)));
    const widths = labels.map((l) => word([l, ...this.header.series.flatMap((s) => (s.evidence ?? []).filter((f) => f.label === l).map(factText))]));
    const folding = h('div', { class: 'folding' });
    folding.style.setProperty('--columns', widths.map((w) => `minmax(0, ${w}fr)`).join(' ') || '1fr');
    folding.append(h('table', { class: 'grid', role: 'table' },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...['method', ...labels].map((l) => h('th', { scope: 'col', role: 'columnheader' }, l)))),
      h('tbody', { role: 'rowgroup' }, ...rows)));
    return h('section', { class: 'card' }, h('header', {}, h('h3', {}, 'Methods')),
      h('p', { class: 'dim' }, 'A tick shows a method; the round button chooses whose names and arrows are drawn.'), folding);
  }

  /* A row an instant and method, so that methods with instants of their own have theirs. */
  private csv(): void {
    const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const lines = [['method', 'time', ...this.plots.map(({ quantity }) => quantity.key)].join(',')];
    for (const series of this.header.series) {
      if (!series.frames) continue;
      const time = this.columns.time(series), values = this.plots.map(({ quantity }) => this.values(series, quantity));
      for (let i = 0; i < series.frames; i++) lines.push([quote(series.name), time[i], ...values.map((v) => (v && Number.isFinite(v[i]) ? v[i] : ''))].join(','));
    }
    download(fileName(`${this.header.title} errors`, 'csv'), new Blob([lines.join('\n'), '\n'], { type: 'text/csv' }));
  }

  mark(index: number): void {
    this.radios[index].checked = true;
  }

  draw(): void {
    for (const { quantity, plot } of this.plots) plot.set(this.curves(quantity));
  }

  update(): void {
    for (const { plot } of this.plots) plot.update(null);
  }

  resize(): void {
    if (!this.element.clientWidth) return;
    for (const { plot } of this.plots) plot.resize();
  }
}

/* Is there anything to plot beside what Methods plots? */
export const hasOtherChannels = (header: Header) => header.series.some((s) => s.channels.some((c) => !isError(c.name)));
