/* A summary over a factor, one line for each value of another one; and over two factors, as a map. Cells have the mean of their runs, and where they have
 * several also the least and the largest. */

import { h, number } from './dom';
import { SERIES, pick } from './palette';
import { Chart, padded, rampColor, scaleOf } from './study_axes';
import type { Column } from './study_data';
import { Cells, type Owner, type View, axes, card, chooser, intervals, tick } from './study_view';

const MOST_LINES = 12;

interface Cell { n: number; sum: number; least: number; most: number; row: number }
const empty = (): Cell => ({ n: 0, sum: 0, least: Infinity, most: -Infinity, row: -1 });

/* Runs gathered into cells; `row` is one of them, one that moves if there is any. */
function gather(owner: Owner, a: Cells, b: Cells | null, value: Column): Cell[] {
  const cells = Array.from({ length: a.n * (b?.n ?? 1) }, empty), A = a.column.values, B = b?.column.values, V = value.values;
  for (const row of owner.table.shown) {
    const v = V[row], i = a.find(A[row]), j = b ? b.find(B![row]) : 0;
    if (i < 0 || j < 0 || !(v - v === 0)) continue;
    const cell = cells[i + a.n * j];
    cell.n++;
    cell.sum += v;
    if (v < cell.least) cell.least = v;
    if (v > cell.most) cell.most = v;
    if (cell.row < 0 || (!owner.moves(cell.row) && owner.moves(row))) cell.row = row;
  }
  return cells;
}

/* The run of a cell whose value is nearest to what was clicked at. */
function nearestIn(owner: Owner, a: Cells, i: number, b: Cells | null, j: number, value: Column, wanted: number): number {
  let best = -1, least = Infinity;
  for (const row of owner.table.shown) {
    if (a.find(a.column.values[row]) !== i || (b && b.find(b.column.values[row]) !== j)) continue;
    const d = Math.abs(value.values[row] - wanted) * (owner.moves(row) ? 0.999999 : 1);
    if (d < least) { least = d; best = row; }
  }
  return best;
}

const cellName = (cells: Cells, i: number) => `${cells.column.name} ${cells.column.words ? cells.column.words[i] : number(cells.centers[i])}`;

export class Curves implements View {
  readonly element: HTMLElement;
  x: Column;
  y: Column;
  lines: Column | null;
  drawn: { label: string; points: [number, number][] }[] = [];
  private log: boolean;
  private logY = false;
  private readonly chart: Chart;
  private readonly legend = h('div', { class: 'readout' });
  private across: Cells | null = null;
  private groups: Cells | null = null;
  private cells: Cell[] = [];

  constructor(private readonly owner: Owner) {
    const { factors, summaries } = owner.table;
    this.x = axes(owner.table)[0];
    this.lines = factors.find((f) => f !== this.x && f.levels && f.levels.length > 1) ?? null;
    this.y = summaries[0];
    this.log = this.x.log;
    this.chart = new Chart('A summary over a factor', () => this.draw());
    this.chart.on((px, py) => this.click(px, py), (px) => this.note(px));
    const others = (): string[] => ['none', ...factors.map((f) => f.name)];
    this.element = card('Response', [
      chooser('of', summaries.map((s) => s.name), 0, (i) => { this.y = summaries[i]; this.draw(); }).element,
      chooser('over', factors.map((f) => f.name), factors.indexOf(this.x), (i) => { this.x = factors[i]; this.log = this.x.log; this.draw(); }).element,
      chooser('a line for each', others(), this.lines ? 1 + factors.indexOf(this.lines) : 0, (i) => { this.lines = i ? factors[i - 1] : null; this.draw(); }).element,
      tick('log across', this.log, (on) => { this.log = on; this.draw(); }),
      tick('log up', false, (on) => { this.logY = on; this.draw(); }),
    ], this.chart.element, this.legend);
  }

  /* Lines that are drawn: all of them, or a dozen that lie evenly. */
  private which(): number[] {
    const n = this.groups?.n ?? 1;
    return n <= MOST_LINES ? Array.from({ length: n }, (_, i) => i) : Array.from({ length: MOST_LINES }, (_, i) => Math.round((i * (n - 1)) / (MOST_LINES - 1)));
  }

  private note(px: number): string {
    const i = px < 0 || !this.across ? -1 : this.across.find(this.chart.xs.value((px - this.chart.left) / (this.chart.width - this.chart.left - this.chart.right)));
    if (i < 0) return 'Means of the runs at each value; the shade goes from the least to the largest. A click shows a run.';
    const parts = this.which().map((j) => ({ j, cell: this.cells[i + this.across!.n * j] })).filter(({ cell }) => cell.n)
      .map(({ j, cell }) => `${this.groups ? `${cellName(this.groups, j)}: ` : ''}${number(cell.sum / cell.n, 4)}`);
    return `${cellName(this.across!, i)}: ${parts.slice(0, 4).join('; ')}${parts.length > 4 ? '; …' : ''}`;
  }

  private click(px: number, py: number): void {
    const { chart, across } = this;
    const i = across?.find(chart.xs.value((px - chart.left) / (chart.width - chart.left - chart.right))) ?? -1;
    if (i < 0 || !across) return;
    const wanted = chart.ys.value((chart.height - chart.bottom - py) / (chart.height - chart.bottom - chart.top));
    let best = -1, least = Infinity;
    for (const j of this.which()) {
      const cell = this.cells[i + across.n * j], d = cell.n ? Math.abs(cell.sum / cell.n - wanted) : Infinity;
      if (d < least) { least = d; best = j; }
    }
    const row = best < 0 ? -1 : nearestIn(this.owner, across, i, this.groups, best, this.y, wanted);
    if (row >= 0) this.owner.choose(row);
  }

  draw(): void {
    const { chart, owner } = this;
    if (!this.y || !this.element.clientWidth) return;
    const lines = this.lines === this.x ? null : this.lines;
    this.across = new Cells(this.x, this.log, intervals(owner.table, 40));
    this.groups = lines ? new Cells(lines, lines.log, 8) : null;
    this.cells = gather(owner, this.across, this.groups, this.y);
    let low = Infinity, high = -Infinity;
    for (const cell of this.cells) if (cell.n) { low = Math.min(low, cell.least); high = Math.max(high, cell.most); }
    const { edges, centers } = this.across, wide = this.x.levels ? [centers[0], centers[centers.length - 1]] : [edges[0], edges[edges.length - 1]];
    const xs = padded(scaleOf(wide[0], wide[1], this.log, this.x.words));
    if (!chart.begin(xs, padded(scaleOf(low <= high ? low : 0, low <= high ? high : 1, this.logY)), this.x.title, this.y.title)) return;
    this.drawn = [];
    this.legend.replaceChildren();
    chart.inside(() => this.which().forEach((j, k) => this.line(j, pick(SERIES, k))));
    const n = this.groups?.n ?? 1;
    if (n > MOST_LINES) this.legend.append(h('span', { class: 'dim' }, `${MOST_LINES} of ${n} values`));
    chart.readout.textContent = this.note(-1);
  }

  private line(j: number, color: string): void {
    const { chart, across } = this, c = chart.context, n = across!.n;
    const cells = this.cells.slice(j * n, (j + 1) * n).map((cell, i) => ({ ...cell, x: chart.x(across!.centers[i]), v: across!.centers[i] })).filter((cell) => cell.n);
    if (!cells.length) return;
    if (cells.some((cell) => cell.n > 1)) {
      c.globalAlpha = 0.14;
      c.fillStyle = color;
      c.beginPath();
      cells.forEach((cell) => c.lineTo(cell.x, chart.y(cell.most)));
      [...cells].reverse().forEach((cell) => c.lineTo(cell.x, chart.y(cell.least)));
      c.fill();
      c.globalAlpha = 1;
    }
    c.strokeStyle = c.fillStyle = color;
    c.lineWidth = 2;
    c.beginPath();
    if (!this.x.words) cells.forEach((cell) => c.lineTo(cell.x, chart.y(cell.sum / cell.n)));
    c.stroke();
    if (n <= 60) for (const cell of cells) { c.beginPath(); c.arc(cell.x, chart.y(cell.sum / cell.n), 2.6, 0, 2 * Math.PI); c.fill(); }
    const label = this.groups ? cellName(this.groups, j) : this.y.name;
    this.drawn.push({ label, points: cells.map((cell) => [cell.v, cell.sum / cell.n]) });
    const swatch = h('i', { class: 'swatch' });
    swatch.style.background = color;
    this.legend.append(h('span', {}, swatch, label));
  }
}

export class HeatMap implements View {
  readonly element: HTMLElement;
  x: Column;
  y: Column;
  value: Column;
  private readonly chart: Chart;
  private across: Cells | null = null;
  private up: Cells | null = null;
  cells: Cell[] = [];

  constructor(private readonly owner: Owner) {
    const { factors, summaries } = owner.table;
    const sorted = axes(owner.table);
    this.x = sorted[0];
    this.y = sorted[1] ?? sorted[0];
    this.value = summaries[0];
    this.chart = new Chart('A map of two factors', () => this.draw(), 0.8);
    this.chart.on((px, py) => { const cell = this.at(px, py); if (cell?.n) owner.choose(cell.row); }, (px, py) => this.note(px, py));
    const names = factors.map((f) => f.name);
    this.element = card('Map of two factors', [
      chooser('of', summaries.map((s) => s.name), 0, (i) => { this.value = summaries[i]; this.draw(); }).element,
      chooser('across', names, factors.indexOf(this.x), (i) => { this.x = factors[i]; this.draw(); }).element,
      chooser('up', names, factors.indexOf(this.y), (i) => { this.y = factors[i]; this.draw(); }).element,
    ], this.chart.element);
  }

  private index(px: number, py: number): [number, number] {
    const { chart } = this;
    const u = (px - chart.left) / (chart.width - chart.left - chart.right), v = (chart.height - chart.bottom - py) / (chart.height - chart.bottom - chart.top);
    return [this.across?.find(chart.xs.value(u)) ?? -1, this.up?.find(chart.ys.value(v)) ?? -1];
  }

  private at(px: number, py: number): Cell | null {
    const [i, j] = this.index(px, py);
    return i < 0 || j < 0 ? null : this.cells[i + this.across!.n * j];
  }

  private note(px: number, py: number): string {
    const [i, j] = px < 0 ? [-1, -1] : this.index(px, py), cell = i < 0 || j < 0 ? null : this.cells[i + this.across!.n * j];
    if (!cell?.n) return 'Means of the runs in each cell; nothing is drawn where there is none. A click shows a run.';
    return `${cellName(this.across!, i)}, ${cellName(this.up!, j)}: ${this.value.name} ${number(cell.sum / cell.n)}${cell.n > 1 ? `, mean of ${cell.n.toLocaleString('en')} runs` : ''}`;
  }

  /* Pixels of the middle of the cell of a run, for tests. */
  place(row: number): { x: number; y: number } {
    return { x: this.chart.x(this.across!.centers[this.across!.find(this.x.values[row])]), y: this.chart.y(this.up!.centers[this.up!.find(this.y.values[row])]) };
  }

  get canvas(): HTMLCanvasElement {
    return this.chart.canvas;
  }

  draw(): void {
    const { chart } = this;
    if (!this.value || !this.element.clientWidth) return;
    const most = intervals(this.owner.table, 40);
    this.across = new Cells(this.x, this.x.log, most);
    this.up = new Cells(this.y, this.y.log, most);
    this.cells = gather(this.owner, this.across, this.up, this.value);
    const scale = (cells: Cells) => scaleOf(cells.edges[0], cells.edges[cells.n], cells.column.log, cells.column.words);
    if (!chart.begin(scale(this.across), scale(this.up), this.x.title, this.y.title, 74)) return;
    let low = Infinity, high = -Infinity;
    for (const cell of this.cells) if (cell.n) { const mean = cell.sum / cell.n; low = Math.min(low, mean); high = Math.max(high, mean); }
    const colors = scaleOf(low <= high ? low : 0, low <= high ? high : 1, false), c = chart.context;
    chart.inside(() => this.cells.forEach((cell, k) => {
      if (!cell.n) return;
      const i = k % this.across!.n, j = Math.floor(k / this.across!.n), { edges: a } = this.across!, { edges: b } = this.up!;
      const x = chart.x(a[i]), y = chart.y(b[j + 1]);
      c.fillStyle = rampColor(colors.place(cell.sum / cell.n));
      c.fillRect(x, y, chart.x(a[i + 1]) - x + 0.6, chart.y(b[j]) - y + 0.6);
    }));
    chart.legend(colors, this.value.title);
    const row = this.owner.selected();
    if (row >= 0) {
      const { x, y } = this.place(row);
      for (const [color, width] of [['#000', 4], ['#fff', 2]] as const) {      // seen on every colour
        c.strokeStyle = color;
        c.lineWidth = width;
        c.strokeRect(x - 5, y - 5, 10, 10);
      }
    }
    chart.readout.textContent = this.note(-1, -1);
  }
}
