/* A phase plot: one channel against another, with a dot where the animation stands. */

import { type Columns, valueAt } from './channels';
import type { Channel, Series } from './data';
import { button, h } from './dom';
import { savePng } from './plots';
import { round } from './stage';

const HEIGHT = 300, LEFT = 62, BOTTOM = 34, TOP = 8, RIGHT = 12;

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class PhasePlot {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { class: 'phase', role: 'img' });
  private readonly dot = h('div', { class: 'dot' });
  private readonly frame: HTMLElement;
  private readonly choices: HTMLSelectElement[];
  private readonly map = { x0: 0, kx: 1, y0: 0, ky: 1 };

  constructor(private source: Series, private readonly columns: Columns, private readonly time: () => number, private readonly title: string, remove: () => void,
              x?: string, y?: string) {
    const [first, second] = guess(source, columns);
    this.choices = [x ?? first, y ?? second].map((name, i) => {
      const choice = h('select', { 'aria-label': i ? 'Channel upwards' : 'Channel to the right' });
      for (const channel of source.channels) choice.append(h('option', { value: channel.name }, channel.name));
      choice.value = name;
      choice.addEventListener('change', () => this.draw());
      return choice;
    });
    this.frame = h('div', { class: 'plot phase-frame' }, this.canvas, this.dot);
    this.element = h('section', { class: 'card', 'aria-label': 'Phase plot' },
      h('header', {}, h('h3', {}, 'Phase plot'),
        button('image', 'Download this plot as PNG', () => savePng(this.canvas, this.name(), [], this.title)),
        button('close', 'Remove this plot', remove)),
      h('div', { class: 'readout' }, h('label', {}, 'x ', this.choices[0]), h('label', {}, 'y ', this.choices[1])),
      this.frame);
  }

  series(source: Series): void {
    this.source = source;
    this.draw();
  }

  private name(): string {
    return `${this.choices[1].value} against ${this.choices[0].value}`;
  }

  private channel(i: number): Channel | undefined {
    return this.source.channels.find((c) => c.name === this.choices[i].value);
  }

  private values(): [Float64Array, Float64Array] | null {
    const [a, b] = [this.channel(0), this.channel(1)];
    const x = a && this.columns.values(this.source, a), y = b && this.columns.values(this.source, b);
    return x && y ? [x, y] : null;
  }

  resize(): void {
    if (this.frame.clientWidth && this.canvas.width !== Math.round(this.frame.clientWidth * (window.devicePixelRatio || 1))) this.draw();
  }

  draw(): void {
    const values = this.values();
    const width = this.frame.clientWidth;
    if (!values || !width) return;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = HEIGHT * scale;
    this.canvas.setAttribute('aria-label', this.name());
    const context = this.canvas.getContext('2d')!;
    context.scale(scale, scale);
    this.scaleTo(values, width);
    this.axes(context, width);
    this.curve(context, values, width);
    this.update();
  }

  /* Lengths against lengths keep their proportions. */
  private scaleTo([x, y]: [Float64Array, Float64Array], width: number): void {
    const [xl, xh] = range(x), [yl, yh] = range(y);
    let kx = (width - LEFT - RIGHT) / (xh - xl), ky = (HEIGHT - TOP - BOTTOM) / (yh - yl);
    if (this.channel(0)?.unit === this.channel(1)?.unit && this.channel(0)?.unit === 'm') kx = ky = Math.min(kx, ky);
    this.map.kx = kx;
    this.map.ky = ky;
    this.map.x0 = LEFT + (width - LEFT - RIGHT) / 2 - (kx * (xl + xh)) / 2;
    this.map.y0 = TOP + (HEIGHT - TOP - BOTTOM) / 2 + (ky * (yl + yh)) / 2;
  }

  private axes(context: CanvasRenderingContext2D, width: number): void {
    const { x0, kx, y0, ky } = this.map;
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = css('--dim');
    context.strokeStyle = css('--line');
    context.lineWidth = 1;
    const line = (a: number, b: number, c: number, d: number) => { context.beginPath(); context.moveTo(a, b); context.lineTo(c, d); context.stroke(); };
    const stepX = round(90 / kx), stepY = round(50 / ky);
    const label = (i: number, step: number) => String(Number((i * step).toPrecision(Math.min(12, 1 + Math.max(5, Math.ceil(Math.log10(Math.abs(i) + 1)))))));
    context.textAlign = 'center';
    for (let i = Math.ceil((LEFT - x0) / kx / stepX); i * stepX * kx + x0 <= width - RIGHT; i++) {
      const p = i * stepX * kx + x0;
      line(p, TOP, p, HEIGHT - BOTTOM);
      context.fillText(label(i, stepX), p, HEIGHT - BOTTOM + 14);
    }
    context.textAlign = 'right';
    for (let i = Math.ceil((y0 - (HEIGHT - BOTTOM)) / ky / stepY); y0 - i * stepY * ky >= TOP; i++) {
      const p = y0 - i * stepY * ky;
      line(LEFT, p, width - RIGHT, p);
      context.fillText(label(i, stepY), LEFT - 6, p + 4);
    }
    const unit = (i: number) => { const u = this.channel(i)?.unit; return u && u !== '1' ? ` (${u})` : ''; };
    context.fillText(this.choices[0].value + unit(0), width - RIGHT, HEIGHT - 4);
    context.save();
    context.translate(11, TOP);
    context.rotate(-Math.PI / 2);
    context.fillText(this.choices[1].value + unit(1), 0, 0);
    context.restore();
  }

  private curve(context: CanvasRenderingContext2D, [x, y]: [Float64Array, Float64Array], width: number): void {
    const { x0, kx, y0, ky } = this.map;
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP, width - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    context.clip();
    context.beginPath();
    let pen = false;
    for (let i = 0; i < x.length; i++) {
      if (!Number.isFinite(x[i] + y[i])) { pen = false; continue; }
      if (pen) context.lineTo(x0 + kx * x[i], y0 - ky * y[i]);
      else context.moveTo(x0 + kx * x[i], y0 - ky * y[i]);
      pen = true;
    }
    context.strokeStyle = '#3d7ebf';
    context.lineWidth = 1.5;
    context.stroke();
    context.restore();
  }

  update(): void {
    const values = this.values();
    if (!values) return;
    const t = this.columns.time(this.source);
    const x = this.map.x0 + this.map.kx * valueAt(t, values[0], this.time());
    const y = this.map.y0 - this.map.ky * valueAt(t, values[1], this.time());
    if (Number.isFinite(x + y)) this.dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }
}

function range(values: Float64Array): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  if (low > high) return [0, 1];
  const room = Math.max(0.05 * (high - low), 1e-9 * Math.max(Math.abs(low), Math.abs(high))) || 1;
  return [low - room, high + room];
}

/* Channels that move beside others of their unit: rounding alone makes no plot. */
function lively(series: Series, columns: Columns): Set<string> {
  const sizes = new Map<string, number>(), spans: [string, string, number][] = [];
  for (const channel of series.channels) {
    let low = Infinity, high = -Infinity;
    for (const v of columns.values(series, channel) ?? []) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    spans.push([channel.name, channel.unit, high - low]);
    sizes.set(channel.unit, Math.max(sizes.get(channel.unit) ?? 0, high - low));
  }
  return new Set(spans.filter(([, unit, span]) => span > 1e-6 * sizes.get(unit)!).map(([name]) => name));
}

/* A channel and its rate, or two coordinates of a point; what the model records first. Otherwise the first two. */
function guess(series: Series, columns: Columns): [string, string] {
  const names = series.channels.map((c) => c.name), alive = lively(series, columns);
  const rate = (name: string) => `${name}'`, height = (name: string) => (name.endsWith('.x') ? `${name.slice(0, -2)}.y` : '');
  for (const list of [names.slice(0, series.asked ?? 0), names])
    for (const beside of [rate, height]) {
      const name = list.find((n) => alive.has(n) && names.includes(beside(n)) && alive.has(beside(n)));
      if (name) return [name, beside(name)];
    }
  return [names[0], names[1] ?? names[0]];
}
