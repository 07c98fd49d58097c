/* Methods side by side: their table, and their errors on one logarithmic plot. */

import type { Blocks, Header } from './data';
import { h } from './dom';
import { factText } from './evidence';
import { SERIES, pick } from './palette';
import { type Curve, TimePlot } from './plots';

export interface Choice { select(index: number): void; display(index: number, on: boolean): void; seek(t: number): void; time(): number }

export class Methods {
  readonly element = h('div', { class: 'methods' });
  private readonly plot: TimePlot | null;
  private readonly radios: HTMLInputElement[] = [];
  private readonly visible: boolean[];

  constructor(private readonly header: Header, private readonly blocks: Blocks, private readonly choice: Choice) {
    this.visible = header.series.map(() => true);
    const some = header.series.some((s) => s.error != null && s.frames);
    this.plot = some ? new TimePlot('Distance from the reference', 'm', true, false,
      { time: choice.time, seek: choice.seek, zoomed: () => undefined, hovered: (t) => this.plot?.update(t), title: header.title }, null) : null;
    if (this.plot) this.element.append(this.plot.element);
    this.element.append(this.table());
  }

  private table(): HTMLElement {
    const labels = [...new Set(this.header.series.flatMap((s) => (s.evidence ?? []).map((f) => f.label)))];
    const rows = this.header.series.map((series, i) => {
      const swatch = h('i', { class: 'swatch' });
      swatch.style.background = pick(SERIES, i);
      const show = h('input', { type: 'checkbox', 'aria-label': `Show ${series.name}` });
      show.checked = series.frames > 0;
      show.disabled = !series.frames;
      show.addEventListener('change', () => { this.visible[i] = show.checked; this.choice.display(i, show.checked); this.draw(); });
      const pick_ = h('input', { type: 'radio', name: 'series', 'aria-label': `Arrows and labels of ${series.name}` });
      pick_.checked = i === 0;
      pick_.disabled = !series.frames;
      pick_.addEventListener('change', () => this.choice.select(i));
      this.radios.push(pick_);
      const facts = new Map((series.evidence ?? []).map((f) => [f.label, factText(f)]));
      return h('tr', {}, h('td', {}, show), h('td', {}, pick_), h('th', { scope: 'row' }, swatch, series.name),
        ...(series.failed ? [h('td', { colspan: Math.max(1, labels.length), class: 'failed' }, series.failed)] : labels.map((l) => h('td', {}, facts.get(l) ?? ''))));
    });
    return h('section', { class: 'card' }, h('header', {}, h('h3', {}, 'Methods')),
      h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Table of the methods' }, h('table', { class: 'grid' },
        h('thead', {}, h('tr', {}, h('th', {}, 'seen'), h('th', {}, 'chosen'), h('th', {}, 'method'), ...labels.map((l) => h('th', {}, l)))),
        h('tbody', {}, ...rows))));
  }

  mark(index: number): void {
    this.radios[index].checked = true;
  }

  draw(): void {
    const curves: Curve[] = [];
    this.header.series.forEach((series, i) => {
      if (series.error == null || !series.frames || !this.visible[i]) return;
      const values = this.blocks.get(series.error) as Float64Array;
      if (!values.some((v) => v > 0)) return;
      curves.push({ label: series.name, color: pick(SERIES, i), time: this.blocks.get(series.time) as Float64Array, values, least: null, most: null });
    });
    this.plot?.set(curves);
  }

  update(): void {
    this.plot?.update(null);
  }

  resize(): void {
    this.plot?.resize();
  }
}
