/* Runs as points. Where there are very many, places are coloured by how many runs are there. */

import { CURVES } from './palette';
import { Chart, padded, rampBytes, rampColor, scaleOf } from './study_axes';
import type { Column } from './study_data';
import { type Owner, type View, card, chooser, plottable, tick } from './study_view';

const MANY = 20000;
const NEARER = 4;      // square pixels: so much a run that moves is preferred

export class Scatter implements View {
  readonly element: HTMLElement;
  readonly columns: Column[];
  x: Column;
  y: Column;
  color: Column | null = null;
  dense = false;
  private logX: boolean;
  private logY = false;
  private readonly chart: Chart;

  constructor(private readonly owner: Owner) {
    const { table } = owner;
    this.columns = plottable(table);
    this.x = table.factors.find((f) => !f.words) ?? this.columns[0];
    this.y = table.summaries[0] ?? this.columns[this.columns.length - 1];
    this.logX = this.x.log;
    this.chart = new Chart('Runs as points', () => this.draw());
    this.chart.on((px, py) => { const row = this.nearest(px, py); if (row >= 0) owner.choose(row); }, (px, py) => this.note(px, py));
    const names = this.columns.map((c) => c.name), at = (c: Column) => this.columns.indexOf(c);
    this.element = card('Runs as points', [
      chooser('across', names, at(this.x), (i) => { this.x = this.columns[i]; this.draw(); }).element,
      chooser('up', names, at(this.y), (i) => { this.y = this.columns[i]; this.draw(); }).element,
      chooser('colour', ['none', ...names], 0, (i) => { this.color = i ? this.columns[i - 1] : null; this.draw(); }).element,
      tick('log across', this.logX, (on) => { this.logX = on; this.draw(); }),
      tick('log up', false, (on) => { this.logY = on; this.draw(); }),
    ], this.chart.element);
  }

  private note(px: number, py: number): string {
    const row = px < 0 ? -1 : this.nearest(px, py), { table } = this.owner;
    if (row < 0) return this.dense ? `${table.shown.length.toLocaleString('en')} runs: yellow where many are, blue where few are` : 'A click shows a run; those with a ring move in the scene at once.';
    return `run ${table.runOf(row)}: ${this.x.name} ${this.x.text(row)}, ${this.y.name} ${this.y.text(row)}${this.color ? `, ${this.color.name} ${this.color.text(row)}` : ''}`;
  }

  /* The row under a place, within a dozen pixels; those that move are a little nearer. */
  nearest(px: number, py: number): number {
    const { chart } = this, { shown } = this.owner.table, X = this.x.values, Y = this.y.values;
    let best = -1, least = 14 ** 2;
    for (let i = 0; i < shown.length; i++) {
      const dx = chart.x(X[shown[i]]) - px;
      if (!(dx * dx < least)) continue;
      const dy = chart.y(Y[shown[i]]) - py, d = dx * dx + dy * dy - (this.owner.moves(shown[i]) ? NEARER : 0);
      if (d < least) { least = d; best = shown[i]; }
    }
    return best;
  }

  /* Pixels of a run, for tests. */
  place(row: number): { x: number; y: number } {
    return { x: this.chart.x(this.x.values[row]), y: this.chart.y(this.y.values[row]) };
  }

  get canvas(): HTMLCanvasElement {
    return this.chart.canvas;
  }

  draw(): void {
    const { chart, owner, x, y, color } = this, { shown } = owner.table;
    const xs = padded(scaleOf(...x.extent, this.logX, x.words)), ys = padded(scaleOf(...y.extent, this.logY, y.words));
    if (!chart.begin(xs, ys, x.title, y.title, color ? 74 : 12)) return;
    this.dense = shown.length > MANY;
    chart.inside(() => (this.dense ? this.raster() : this.points()));
    if (color) chart.legend(scaleOf(...color.extent, false, color.words), color.title);
    const row = owner.selected();
    if (row >= 0) this.ring(row, 8, chart.tone.accent, 3);
    chart.readout.textContent = this.note(-1, -1);
  }

  private ring(row: number, radius: number, color: string, width: number): void {
    const c = this.chart.context;
    c.strokeStyle = color;
    c.lineWidth = width;
    c.beginPath();
    c.arc(this.chart.x(this.x.values[row]), this.chart.y(this.y.values[row]), radius, 0, 2 * Math.PI);
    c.stroke();
  }

  private points(): void {
    const { chart, owner, color } = this, { shown } = owner.table, c = chart.context, X = this.x.values, Y = this.y.values;
    const scale = color && scaleOf(...color.extent, false, color.words), few = shown.length < 3000, r = few ? 3 : 1.6;
    c.globalAlpha = few ? 0.85 : 0.5;
    c.fillStyle = CURVES[0];
    for (const row of shown) {
      const px = chart.x(X[row]), py = chart.y(Y[row]);
      if (!(px - px === 0 && py - py === 0)) continue;
      if (scale) c.fillStyle = rampColor(scale.place(color!.values[row]));
      c.beginPath();
      c.arc(px, py, r, 0, 2 * Math.PI);
      c.fill();
    }
    c.globalAlpha = 1;
    for (const row of shown) if (owner.moves(row)) this.ring(row, r + 2, chart.tone.dim, 1);
  }

  /* Cells of three pixels: their number of runs, or the mean of the colour over them. */
  private raster(): void {
    const { chart, owner, color } = this, { shown } = owner.table, X = this.x.values, Y = this.y.values, size = 3;
    const nx = Math.ceil(chart.width / size), ny = Math.ceil(chart.height / size), count = new Float64Array(nx * ny), sum = color ? new Float64Array(nx * ny) : null;
    const C = color?.values;
    for (const row of shown) {
      const px = chart.x(X[row]), py = chart.y(Y[row]);
      if (!(px >= 0 && py >= 0 && px < chart.width && py < chart.height)) continue;
      const k = Math.floor(px / size) + nx * Math.floor(py / size);
      if (C && !(C[row] - C[row] === 0)) continue;
      count[k]++;
      if (sum) sum[k] += C![row];
    }
    const most = count.reduce((a, b) => Math.max(a, b), 1), scale = color && scaleOf(...color.extent, false, color.words), c = chart.context;
    for (let k = 0; k < count.length; k++) {
      if (!count[k]) continue;
      const u = scale ? scale.place(sum![k] / count[k]) : most > 1 ? Math.log(count[k]) / Math.log(most) : 1;
      const [r, g, b] = rampBytes(u);
      c.fillStyle = `rgb(${r} ${g} ${b})`;
      c.fillRect((k % nx) * size, Math.floor(k / nx) * size, size, size);
    }
  }
}


