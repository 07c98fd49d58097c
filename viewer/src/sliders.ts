/* Sliders of a page that `watch` serves: a parameter each. When one is released, the values that differ from the model go to the server, which runs the model and
 * makes the page load itself again. The curves of the last runs stay in the tab's own memory, and the plots draw them beside the new ones. */

import type { Blocks, Header, Message, Series } from './data';
import { Columns } from './channels';
import { h, number } from './dom';
import { recall, remember } from './theme';

const KEY = 'dalembert runs';
const RUNS = 4, POINTS = 400, ROOM = 300000;      // kept runs; points of a curve; characters of a run
export const DASHES = [[7, 4], [2, 3], [10, 3, 2, 3], [1, 5]];
const session = () => sessionStorage;

export interface Slider { name: string; value: number; model: number; moved: boolean }
export interface Past { label: string; time: number[]; channels: Record<string, (number | null)[]> }
interface Kept { text: string; runs: Past[] }

export const tidy = (value: number) => Number(value.toPrecision(12));

/* From a tenth of the value to twice of it, in hundredths, so that the value itself is met; around zero one to both sides. */
export function rangeOf(value: number): { low: number; high: number; step: number } {
  if (!value) return { low: -1, high: 1, step: 0.01 };
  const [a, b] = [tidy(0.1 * value), tidy(2 * value)];
  return { low: Math.min(a, b), high: Math.max(a, b), step: tidy(0.01 * Math.abs(value)) };
}

const labelOf = (sliders: Slider[]) => sliders.filter((s) => s.moved).map((s) => `${s.name} = ${number(s.value)}`).join(', ') || 'as written';

function thin(values: Float64Array, pick: number[]): (number | null)[] {
  return pick.map((i) => (Number.isFinite(values[i]) ? Number(values[i].toPrecision(6)) : null));
}

/* Curves of the runs before this one, of the same text of the model; others are forgotten. */
export class Runs {
  list: Past[] = [];

  constructor(private readonly header: Header, private readonly blocks: Blocks) {
    try {
      const kept = JSON.parse(recall(KEY, session) ?? 'null') as Kept | null;
      if (kept && kept.text === header.model?.text && Array.isArray(kept.runs)) this.list = kept.runs.filter((run) => run.label !== labelOf(header.sliders ?? [])).slice(0, RUNS);
    } catch {
      this.list = [];
    }
  }

  /* The run that is shown joins them, before the page loads the next one. Plotted channels come first, others while there is room. */
  keep(shown: string[]): void {
    const series: Series | undefined = this.header.series[0];
    if (!series?.frames) return;
    const columns = new Columns(this.blocks), time = columns.time(series);
    const every = Math.max(1, Math.ceil(time.length / POINTS)), pick: number[] = [];
    for (let i = 0; i < time.length; i += every) pick.push(i);
    if (pick.at(-1) !== time.length - 1) pick.push(time.length - 1);
    const past: Past = { label: labelOf(this.header.sliders ?? []), time: pick.map((i) => tidy(time[i])), channels: {} };
    const wanted = [...series.channels].sort((a, b) => Number(shown.includes(b.name)) - Number(shown.includes(a.name)));
    let size = 0;
    for (const channel of wanted) {
      const values = size < ROOM ? columns.values(series, channel) : null;
      if (!values) continue;
      past.channels[channel.name] = thin(values, pick);
      size += 10 * pick.length;
    }
    this.list = [past, ...this.list.filter((run) => run.label !== past.label)].slice(0, RUNS);
    remember(KEY, JSON.stringify({ text: this.header.model?.text ?? '', runs: this.list } satisfies Kept), session);
  }

  forget(): void {
    this.list = [];
    remember(KEY, null, session);
  }
}

export class SliderPanel {
  readonly element: HTMLDetailsElement;
  private readonly status = h('p', { class: 'state', role: 'status' });
  private readonly legend = h('div', { class: 'pastruns', role: 'list', 'aria-label': 'Runs in the plots' });
  private readonly clear = h('button', { type: 'button', class: 'word', onclick: () => { this.runs.forget(); this.showRuns(); this.changed(); } }, 'Forget runs');
  private readonly fields: { slider: Slider; range: HTMLInputElement; field: HTMLInputElement }[] = [];

  private readonly sliders: Slider[];      // as the reader sets them; those of the header stay
  private readonly now: string;

  constructor(sliders: Slider[], private readonly runs: Runs, private readonly changed: () => void) {
    this.sliders = sliders.map((slider) => ({ ...slider }));
    this.now = labelOf(sliders);
    const rows = this.sliders.map((slider) => this.row(slider));
    const reset = h('button', { type: 'button', class: 'word', title: 'All parameters as the model has them', onclick: () => this.reset() }, 'Reset');
    this.element = h('details', { class: 'sliders' }, h('summary', {}, `Parameters (${sliders.length})`), h('div', { class: 'rows' }, ...rows),
      h('div', { class: 'tools' }, reset, this.clear), this.status, this.legend);
    this.element.open = true;
    this.showRuns();
  }

  private row(slider: Slider): HTMLElement {
    const { low, high, step } = rangeOf(slider.model);
    const range = h('input', { type: 'range', step: 'any', 'aria-label': `Slider of ${slider.name}` });
    const field = h('input', { type: 'number', step: 'any', 'aria-label': `Value of ${slider.name}` });
    const entry = { slider, range, field };
    this.fields.push(entry);
    range.min = String(Math.min(low, slider.value));
    range.max = String(Math.max(high, slider.value));
    this.put(entry, slider.value);
    range.addEventListener('input', () => { field.value = String(tidy(step * Math.round(Number(range.value) / step))); });
    range.addEventListener('change', () => this.take(entry));
    field.addEventListener('change', () => this.take(entry));
    return h('div', { class: 'slider' }, h('span', { class: 'name', title: `${slider.name}: ${number(slider.model)} in the model` }, slider.name), range, field);
  }

  private put({ range, field }: { range: HTMLInputElement; field: HTMLInputElement }, value: number): void {
    if (value < Number(range.min)) range.min = String(value);
    if (value > Number(range.max)) range.max = String(value);
    range.value = String(value);
    field.value = String(tidy(value));
  }

  private take(entry: { slider: Slider; range: HTMLInputElement; field: HTMLInputElement }): void {
    const value = entry.field.value.trim() === '' ? NaN : Number(entry.field.value);
    if (!Number.isFinite(value)) {
      this.put(entry, entry.slider.value);
      return;
    }
    this.put(entry, value);
    entry.slider.moved = value !== entry.slider.model;
    entry.slider.value = value;
    void this.send();
  }

  private reset(): void {
    for (const entry of this.fields) {
      entry.slider.value = entry.slider.model;
      entry.slider.moved = false;
      this.put(entry, entry.slider.model);
    }
    void this.send();
  }

  private async send(): Promise<void> {
    this.say('Running …', false);
    const body = this.sliders.filter((s) => s.moved).map((s) => `${s.name}=${s.value}\n`).join('');
    try {
      const answer = await fetch('values', { method: 'POST', body });
      if (!answer.ok) this.say((await answer.text()).replace(/^\d+ /, ''), true);
    } catch {
      this.say('The program that serves this page does not answer.', true);
    }
  }

  private say(text: string, wrong: boolean): void {
    this.status.textContent = text;
    this.status.classList.toggle('wrong', wrong);
  }

  /* The run failed: the picture stays, and the sliders say what they said; what was wanted is still in the fields. */
  refused(messages: Message[]): void {
    const errors = messages.filter((m) => m.severity === 'error');
    this.say((errors.length ? errors : messages).map((m) => m.text).join('\n') || 'The run failed.', true);
  }

  private showRuns(): void {
    const { list } = this.runs;
    const item = (dash: number[] | null, text: string) => {
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      svg.setAttribute('viewBox', '0 0 34 8');
      svg.setAttribute('aria-hidden', 'true');
      line.setAttribute('d', 'M0 4h34');
      if (dash) line.setAttribute('stroke-dasharray', dash.join(' '));
      svg.append(line);
      return h('span', { role: 'listitem' }, svg, text);
    };
    this.clear.hidden = !list.length;
    this.legend.replaceChildren(...(list.length ? [item(null, `now: ${this.now}`), ...list.map((run, i) => item(DASHES[i], run.label))] : []));
  }
}
