/* What the views of a study share: whom they ask, and how a reader chooses columns. */

import { h } from './dom';
import type { Column, Table } from './study_data';

export interface Owner {
  table: Table;
  selected(): number;              // row, -1: none
  choose(row: number): void;
  moves(row: number): boolean;     // its motion is in the page
}

export interface View { element: HTMLElement; draw(): void }

/* A labelled list. Values are numbers of the entries. */
export function chooser(label: string, entries: string[], initial: number, changed: (index: number) => void): { element: HTMLElement; select: HTMLSelectElement } {
  const select = h('select', {});
  entries.forEach((name, i) => select.append(h('option', { value: i }, name)));
  select.value = String(Math.max(0, initial));
  select.addEventListener('change', () => changed(Number(select.value)));
  return { element: h('label', { class: 'choice' }, `${label} `, select), select };
}

export function tick(label: string, initial: boolean, changed: (on: boolean) => void): HTMLElement {
  const box = h('input', { type: 'checkbox' });
  box.checked = initial;
  box.addEventListener('change', () => changed(box.checked));
  return h('label', { class: 'choice' }, box, ` ${label}`);
}

export function card(title: string, tools: HTMLElement[], ...children: (HTMLElement | null)[]): HTMLElement {
  return h('section', { class: 'card' }, h('header', {}, h('h3', {}, title)), h('div', { class: 'choices' }, ...tools), ...children);
}

/* Columns that a plot can have: numbers and words, not the number of the run. */
export const plottable = (table: Table) => table.columns.filter((c) => c.kind !== 'run' && (c.kind !== 'evidence' || c.extent[0] !== c.extent[1]) && (c.kind !== 'status' || c.extent[1] > 0));

/* Factors with many listed values first: they make the best axes. Random ones follow. */
export const axes = (table: Table) => [...table.factors].sort((a, b) => (b.levels && !b.words ? b.levels.length : 0) - (a.levels && !a.words ? a.levels.length : 0));

/* Intervals of a value that is not listed: few samples, few intervals. */
export const intervals = (table: Table, most: number) => Math.max(4, Math.min(most, Math.round(Math.sqrt(Math.min(table.study.samples, table.rows)))));

/* The place of a value among cells: a listed factor has one cell a value, others have equal intervals. */
export class Cells {
  readonly edges: number[];
  readonly centers: number[];

  /* most: intervals of a value that is not listed. */
  constructor(readonly column: Column, log: boolean, most = 40) {
    const { levels } = column, positive = log && column.extent[0] > 0;
    if (levels) most = 200;
    if (levels && levels.length <= 400) {
      const sorted = [...new Set(Array.from(levels))].sort((a, b) => a - b), n = sorted.length;
      const middle = (a: number, b: number) => (positive && a > 0 && b > 0 ? Math.sqrt(a * b) : (a + b) / 2);
      const beyond = (a: number, b: number) => (positive && a > 0 && b > 0 ? a * Math.sqrt(a / b) : a + (a - b) / 2);
      this.centers = sorted;
      this.edges = n === 1 ? [sorted[0] - 0.5 * (Math.abs(sorted[0]) || 1), sorted[0] + 0.5 * (Math.abs(sorted[0]) || 1)]
        : [beyond(sorted[0], sorted[1]), ...sorted.slice(1).map((v, i) => middle(sorted[i], v)), beyond(sorted[n - 1], sorted[n - 2])];
      return;
    }
    const [low, high] = column.extent, a = positive ? Math.log(low) : low, b = positive ? Math.log(high) : high;
    const at = (i: number) => (positive ? Math.exp(a + ((b - a) * i) / most) : a + ((b - a) * i) / most);
    this.edges = Array.from({ length: most + 1 }, (_, i) => at(i));
    this.centers = Array.from({ length: most }, (_, i) => at(i + 0.5));
  }

  get n(): number {
    return this.centers.length;
  }

  /* -1: it has none. */
  find(v: number): number {
    const { edges } = this;
    if (!(v >= edges[0] && v <= edges[edges.length - 1])) return -1;
    let low = 0, high = edges.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (edges[middle] <= v) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
