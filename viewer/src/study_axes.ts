/* Axes on a canvas: scales, ticks, titles. Colours are those of the page. */

import { h, number } from './dom';

export interface Scale { low: number; high: number; log: boolean; words: string[] | null; place(v: number): number; value(u: number): number }

/* A logarithmic one where it was asked for and all values are of one sign. */
export function scaleOf(low: number, high: number, log: boolean, words: string[] | null = null): Scale {
  if (words) return { low: -0.5, high: words.length - 0.5, log: false, words, place: (v) => (v + 0.5) / words.length, value: (u) => u * words.length - 0.5 };
  if (log && low > 0) {
    if (high / low < 1.02) { low /= 1.1; high *= 1.1; }
    const a = Math.log(low), b = Math.log(high);
    return { low, high, log: true, words: null, place: (v) => (Math.log(v) - a) / (b - a), value: (u) => Math.exp(a + (b - a) * u) };
  }
  const least = 1e-9 * Math.max(Math.abs(low), Math.abs(high), 1e-300);
  if (!(high - low > least)) { const rim = Math.max(0.05 * Math.abs(low), least, 1e-12); low -= rim; high += rim; }
  return { low, high, log: false, words: null, place: (v) => (v - low) / (high - low), value: (u) => low + (high - low) * u };
}

/* With some room on both sides. */
export function padded(scale: Scale): Scale {
  if (scale.words) return scale;
  return scale.log ? scaleOf(scale.value(-0.03), scale.value(1.03), true) : scaleOf(scale.value(-0.03), scale.value(1.03), false);
}

export function ticksOf(scale: Scale, most: number): { at: number; label: string }[] {
  if (scale.words) return scale.words.map((label, at) => ({ at, label })).filter((_, i) => i % Math.ceil(scale.words!.length / most) === 0);
  if (scale.log) {
    const out: { at: number; label: string }[] = [], from = Math.floor(Math.log10(scale.low)), to = Math.ceil(Math.log10(scale.high));
    const decades = to - from, every = Math.max(1, Math.ceil(decades / most)), parts = decades <= 1 ? [1, 2, 3, 5, 7] : decades * 3 <= most ? [1, 2, 5] : [1];
    for (let k = from; k <= to; k += every) for (const part of parts) {
      const at = part * 10 ** k;
      if (at >= scale.low * (1 - 1e-9) && at <= scale.high * (1 + 1e-9)) out.push({ at, label: number(at) });
    }
    if (out.length > 1) return out;
  }
  const rough = (scale.high - scale.low) / Math.max(1, most), power = 10 ** Math.floor(Math.log10(rough)), lead = rough / power;
  const step = (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
  const out: { at: number; label: string }[] = [];
  for (let k = Math.ceil(scale.low / step - 1e-9); k * step <= scale.high + 1e-9 * step && out.length < 50; k++) out.push({ at: k * step, label: number(Number((k * step).toPrecision(12))) });
  return out;
}

/* Dark blue over green to yellow: lightness grows evenly, so that it can be read without colours. */
const RAMP = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];
export function rampBytes(u: number): [number, number, number] {
  const x = Math.min(1, Math.max(0, u)) * (RAMP.length - 1), i = Math.min(RAMP.length - 2, Math.floor(x)), s = x - i;
  return [0, 1, 2].map((k) => Math.round(RAMP[i][k] + (RAMP[i + 1][k] - RAMP[i][k]) * s)) as [number, number, number];
}
export const rampColor = (u: number) => `rgb(${rampBytes(u).join(' ')})`;

export interface Tone { text: string; dim: string; line: string; accent: string; panel: string; error: string }

export class Chart {
  readonly canvas = h('canvas', { class: 'chart', role: 'img' });
  readonly readout = h('p', { class: 'chart-note dim' });
  readonly element = h('div', { class: 'chart-box' }, this.canvas, this.readout);
  context = this.canvas.getContext('2d')!;
  width = 0;
  height = 0;
  left = 56; right = 12; top = 12; bottom = 40;
  xs: Scale = scaleOf(0, 1, false);
  ys: Scale = scaleOf(0, 1, false);
  tone: Tone = { text: '#000', dim: '#555', line: '#ccc', accent: '#06c', panel: '#fff', error: '#b00' };

  constructor(name: string, redraw: () => void, private readonly tall = 0.62) {
    this.canvas.setAttribute('aria-label', name);
    new ResizeObserver(() => { if (this.canvas.clientWidth && this.canvas.clientWidth !== this.width) redraw(); }).observe(this.element);
  }

  private colors(): void {
    const style = getComputedStyle(document.documentElement), of = (name: string) => style.getPropertyValue(name).trim();
    this.tone = { text: of('--text'), dim: of('--dim'), line: of('--line'), accent: of('--accent'), panel: of('--panel'), error: of('--error') };
  }

  /* False: it is not seen now. */
  begin(xs: Scale, ys: Scale, xTitle: string, yTitle: string, right = 12): boolean {
    const width = this.element.clientWidth;
    if (!width) return false;
    const ratio = Math.min(2, window.devicePixelRatio || 1), height = Math.round(Math.min(460, Math.max(220, this.tall * width)));
    this.width = width;
    this.height = height;
    this.right = right;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    this.xs = xs;
    this.ys = ys;
    this.colors();
    this.frame(xTitle, yTitle);
    return true;
  }

  private frame(xTitle: string, yTitle: string): void {
    const c = this.context, { tone } = this;
    c.font = '11px system-ui, "DejaVu Sans", sans-serif';
    const yTicks = ticksOf(this.ys, Math.max(2, Math.floor((this.height - this.top - this.bottom) / 34)));
    const clip = (label: string) => (label.length > 14 ? `${label.slice(0, 13)}…` : label);
    this.left = Math.min(0.34 * this.width, 26 + Math.max(20, ...yTicks.map((t) => c.measureText(clip(t.label)).width)));
    const xTicks = ticksOf(this.xs, Math.max(2, Math.floor((this.width - this.left - this.right) / (this.xs.words ? 90 : 62))));
    c.strokeStyle = tone.line;
    c.fillStyle = tone.dim;
    c.lineWidth = 1;
    c.textAlign = 'center';
    c.textBaseline = 'top';
    for (const t of xTicks) {
      const x = Math.round(this.x(t.at)) + 0.5;
      c.beginPath(); c.moveTo(x, this.top); c.lineTo(x, this.height - this.bottom); c.stroke();
      c.fillText(clip(t.label), x, this.height - this.bottom + 5);
    }
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    for (const t of yTicks) {
      const y = Math.round(this.y(t.at)) + 0.5;
      c.beginPath(); c.moveTo(this.left, y); c.lineTo(this.width - this.right, y); c.stroke();
      c.fillText(clip(t.label), this.left - 5, y);
    }
    c.fillStyle = tone.text;
    c.textAlign = 'center';
    c.textBaseline = 'bottom';
    c.fillText(xTitle, (this.left + this.width - this.right) / 2, this.height - 3);
    c.save();
    c.translate(11, (this.top + this.height - this.bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.textBaseline = 'middle';
    c.fillText(yTitle, 0, 0);
    c.restore();
  }

  x(v: number): number {
    return this.left + this.xs.place(v) * (this.width - this.left - this.right);
  }

  y(v: number): number {
    return this.height - this.bottom - this.ys.place(v) * (this.height - this.top - this.bottom);
  }

  /* What is drawn inside stays inside. */
  inside(draw: () => void): void {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(this.left, this.top, this.width - this.left - this.right, this.height - this.top - this.bottom);
    c.clip();
    draw();
    c.restore();
  }

  /* Places of the pointer in pixels of the chart. */
  on(click: (x: number, y: number) => void, hover: (x: number, y: number) => string): void {
    const at = (event: PointerEvent | MouseEvent): [number, number] => { const box = this.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    this.canvas.addEventListener('click', (event) => click(...at(event)));
    this.canvas.addEventListener('pointermove', (event) => { this.readout.textContent = hover(...at(event)); });
    this.canvas.addEventListener('pointerleave', () => { this.readout.textContent = hover(-1, -1); });
  }

  /* A bar of the colours from low to high, at the right edge. */
  legend(scale: Scale, title: string): void {
    const c = this.context, x = this.width - this.right + 12, from = this.top + 14, to = this.height - this.bottom;
    for (let y = from; y < to; y++) {
      c.fillStyle = rampColor((to - y) / (to - from));
      c.fillRect(x, y, 12, 1.5);
    }
    c.fillStyle = this.tone.dim;
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    for (const t of ticksOf(scale, 5)) {
      const y = to - scale.place(t.at) * (to - from);
      if (y >= from - 1 && y <= to + 1) c.fillText(t.label.slice(0, 9), x + 16, y);
    }
    c.fillStyle = this.tone.text;
    c.textAlign = 'right';
    c.textBaseline = 'top';
    c.fillText(title.length > 16 ? `${title.slice(0, 15)}…` : title, this.width - 2, 0);
  }
}
