/* The runs of a study as columns: values, filters, order. A million rows are arrays of numbers and nothing else. */

import type { Blocks, Header } from './data';
import { number } from './dom';

export interface StudyFactor { name: string; unit: string; text: string; setting: boolean; random: boolean; stride: number; words?: string[]; block: number | null }
export interface StudyValue { name: string; unit: string; summary: boolean; text?: string; block: number | null; constant: number | null }
export interface StudyBands { runs: number; time: number; levels: number[]; channels: { name: string; unit: string }[]; groups: { label: string; blocks: number[] }[] }
export interface StudyEntry {
  runs: number; samples: number; there: number; rows: number; failed: number;
  sampling: string; seed: number; command: string;
  numbers: number | null; status: number | null;
  factors: StudyFactor[]; values: StudyValue[];
  failures: { run: number; reason: string }[];
  bands?: StudyBands;
  motions: number[];
}

export const studyOf = (header: Header): StudyEntry => (header as unknown as { study: StudyEntry }).study;

type Values = Float64Array | Float32Array;

export class Column {
  private made: Values | null = null;
  private range: [number, number] | null = null;

  constructor(readonly name: string, readonly unit: string, readonly kind: 'run' | 'status' | 'factor' | 'summary' | 'evidence', readonly about: string,
    private readonly make: () => Values, readonly words: string[] | null = null, readonly levels: ArrayLike<number> | null = null, readonly log = false) {}

  get values(): Values {
    return (this.made ??= this.make());
  }

  get title(): string {
    return this.unit ? `${this.name}, ${this.unit}` : this.name;
  }

  /* The least and the largest finite value. */
  get extent(): [number, number] {
    if (!this.range) {
      let low = Infinity, high = -Infinity;
      for (const v of this.values) if (v - v === 0) { if (v < low) low = v; if (v > high) high = v; }
      this.range = low <= high ? [low, high] : [0, 1];
    }
    return this.range;
  }

  text(row: number): string {
    const v = this.values[row];
    return this.words ? this.words[v] ?? '' : number(v);
  }
}

/* Does a text say which values pass? ">5", "<= 3", "1..2", "ok", "5". null: it says nothing that can be understood. */
export function parseFilter(text: string, column: Column): ((v: number) => boolean) | null {
  const t = text.trim();
  if (column.words) {
    const { words } = column, wanted = t.toLowerCase();
    const good = words.map((w) => w.toLowerCase().includes(wanted));
    return good.some((g) => g) ? (v) => good[v] : null;
  }
  const between = /^(.+?)\.\.(.+)$/.exec(t);
  if (between) {
    const [a, b] = [Number(between[1]), Number(between[2])];
    return Number.isFinite(a) && Number.isFinite(b) ? (v) => v >= Math.min(a, b) && v <= Math.max(a, b) : null;
  }
  const compared = /^(<=|>=|<|>|=)?\s*(\S+)$/.exec(t);
  const x = compared ? Number(compared[2]) : NaN;
  if (!compared || !Number.isFinite(x)) return null;
  if (compared[1] === '<') return (v) => v < x;
  if (compared[1] === '>') return (v) => v > x;
  if (compared[1] === '<=') return (v) => v <= x;
  if (compared[1] === '>=') return (v) => v >= x;
  return (v) => Math.abs(v - x) <= 1e-6 * Math.abs(x);
}

/* Rows in the order of 32 bits that grow with the value; NaN stands last. Three passes of 11 bits each. */
function radixOrder(rows: Uint32Array<ArrayBuffer>, values: Values): Uint32Array<ArrayBuffer> {
  const bits = new Uint32Array(new Float32Array(rows.length).buffer), floats = new Float32Array(bits.buffer);
  for (let i = 0; i < rows.length; i++) floats[i] = values[rows[i]];
  for (let i = 0; i < bits.length; i++) bits[i] = Number.isNaN(floats[i]) ? 0xffffffff : bits[i] & 0x80000000 ? ~bits[i] >>> 0 : (bits[i] | 0x80000000) >>> 0;
  let from = rows, to = new Uint32Array(rows.length), keys = bits, next = new Uint32Array(bits.length);
  for (const shift of [0, 11, 22]) {
    const count = new Uint32Array(2049);
    for (let i = 0; i < keys.length; i++) count[((keys[i] >>> shift) & 2047) + 1]++;
    for (let i = 0; i < 2048; i++) count[i + 1] += count[i];
    for (let i = 0; i < keys.length; i++) {
      const place = count[(keys[i] >>> shift) & 2047]++;
      to[place] = from[i];
      next[place] = keys[i];
    }
    [from, to] = [to, from === rows ? new Uint32Array(rows.length) : from];
    [keys, next] = [next, keys];
  }
  return from;
}

const EXACT = 100000;

export class Table {
  readonly rows: number;
  readonly columns: Column[] = [];
  readonly factors: Column[];
  readonly summaries: Column[];
  readonly filters = new Map<Column, { text: string; passes: (v: number) => boolean }>();
  shown: Uint32Array;      // rows that pass the filters, in order
  sorted: { column: Column; down: boolean } | null = null;
  private readonly reasons: Map<number, string>;

  constructor(readonly study: StudyEntry, blocks: Blocks) {
    const n = (this.rows = study.rows);
    const numbers = study.numbers == null ? null : (blocks.get(study.numbers) as Uint32Array);
    this.columns.push(new Column('run', '', 'run', 'number of the run', () => (numbers ? Float64Array.from(numbers) : Float64Array.from({ length: n }, (_, i) => i))));
    const runs = () => this.columns[0].values;
    for (const f of study.factors) this.columns.push(this.factor(f, blocks, runs));
    for (const v of study.values)
      this.columns.push(new Column(v.name, v.unit, v.summary ? 'summary' : 'evidence', v.text ?? '',
        () => (v.block == null ? new Float64Array(n).fill(v.constant ?? NaN) : (blocks.get(v.block) as Values))));
    this.columns.push(new Column('status', '', 'status', 'ok; failed: the motion could not be continued; refused: the model with these values',
      () => (study.status == null ? new Float64Array(n) : Float64Array.from(blocks.get(study.status))), ['ok', 'failed', 'refused']));
    this.factors = this.columns.filter((c) => c.kind === 'factor');
    this.summaries = this.columns.filter((c) => c.kind === 'summary');
    this.reasons = new Map(study.failures.map((f) => [f.run, f.reason]));
    this.shown = Uint32Array.from({ length: n }, (_, i) => i);
  }

  /* A listed factor follows from the number of the run. */
  private factor(f: StudyFactor, blocks: Blocks, runs: () => Values): Column {
    const list = f.random || f.block == null ? null : (blocks.get(f.block) as Float64Array);
    const count = f.words?.length ?? list?.length ?? 1;
    const make = () => {
      if (f.random) return blocks.get(f.block!) as Values;
      const at = runs(), out = new Float64Array(at.length);
      for (let i = 0; i < at.length; i++) {
        const k = Math.floor(Math.floor(at[i] / this.study.samples) / f.stride) % count;
        out[i] = list ? list[k] : k;
      }
      return out;
    };
    return new Column(f.name, f.unit, 'factor', f.text, make, f.words ?? null, f.random ? null : list ?? Float64Array.from({ length: count }, (_, i) => i), /log$/.test(f.text));
  }

  named(name: string): Column | undefined {
    return this.columns.find((c) => c.name === name);
  }

  runOf(row: number): number {
    return this.columns[0].values[row];
  }

  /* -1: the page does not have it. */
  rowOf(run: number): number {
    const runs = this.columns[0].values;
    let low = 0, high = runs.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (runs[middle] < run) low = middle + 1;
      else high = middle;
    }
    return runs[low] === run ? low : -1;
  }

  reason(row: number): string {
    return this.reasons.get(this.runOf(row)) ?? '';
  }

  /* False: the text is not understood, and nothing changes. */
  filter(column: Column, text: string): boolean {
    if (text.trim() === '') this.filters.delete(column);
    else {
      const passes = parseFilter(text, column);
      if (!passes) return false;
      this.filters.set(column, { text, passes });
    }
    this.arrange();
    return true;
  }

  sort(column: Column | null, down = false): void {
    this.sorted = column ? { column, down } : null;
    this.arrange();
  }

  private arrange(): void {
    let rows = new Uint32Array(this.rows), n = 0;
    const tests = [...this.filters].map(([column, { passes }]) => ({ values: column.values, passes }));
    for (let i = 0; i < this.rows; i++) {
      let good = true;
      for (const t of tests) if (!t.passes(t.values[i])) { good = false; break; }
      if (good) rows[n++] = i;
    }
    rows = rows.slice(0, n);
    if (this.sorted) {
      const { column, down } = this.sorted, v = column.values;
      const after = (x: number) => (Number.isNaN(x) ? Infinity : x);
      rows = n > EXACT ? radixOrder(rows, v) : rows.sort((a, b) => after(v[a]) - after(v[b]) || a - b);
      if (down) {
        let good = n;
        while (good > 0 && Number.isNaN(v[rows[good - 1]])) good--;      // those without a value stay last
        rows.subarray(0, good).reverse();
      }
    }
    this.shown = rows;
  }
}

/* The quantile p of values that are sorted: at (n - 1) p, between two of them. */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  if (!sorted.length) return NaN;
  const at = (sorted.length - 1) * p, i = Math.floor(at);
  return sorted[i] + (sorted[Math.min(i + 1, sorted.length - 1)] - sorted[i]) * (at - i);
}
