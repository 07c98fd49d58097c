/* The table of runs. Only the rows in sight are elements of the page; the scroll bar stands for all of them. */

import { download, h } from './dom';
import type { Column, Table } from './study_data';
import type { Owner, View } from './study_view';

const ROW = 26;                 // pixels
const TALLEST = 8e6;            // of what a browser scrolls

export class RunTable implements View {
  readonly element: HTMLElement;
  private readonly table: Table;
  private readonly columns: Column[];
  private readonly box = h('div', { class: 'runs', role: 'table', tabindex: 0, 'aria-label': 'Runs' });
  private readonly inner = h('div', { class: 'runs-inner' });
  private readonly body = h('div', { class: 'runs-body', role: 'rowgroup' });
  private readonly head = h('div', { class: 'runs-head', role: 'rowgroup' });
  private readonly count = h('span', { class: 'dim' });
  private readonly titles = new Map<Column, HTMLButtonElement>();
  private readonly inputs = new Map<Column, HTMLInputElement>();
  private first = -1;

  constructor(private readonly owner: Owner, private readonly changed: () => void, private readonly fileName: string) {
    this.table = owner.table;
    const { study } = this.table;
    this.columns = this.table.columns.filter((c) => c.kind !== 'status' || study.failed > 0);
    this.header();
    this.inner.append(this.head, this.body);
    this.box.append(this.inner);
    this.box.addEventListener('scroll', () => this.rows());
    new ResizeObserver(() => { this.first = -1; this.rows(); }).observe(this.box);
    this.element = h('section', { class: 'card' },
      h('header', {}, h('h3', {}, 'Runs'), this.count,
        h('button', { type: 'button', class: 'word', onclick: () => this.clear() }, 'all runs'),
        h('button', { type: 'button', class: 'word', title: 'Download the rows that are shown as CSV', onclick: () => this.csv() }, 'CSV')),
      h('p', { class: 'dim' }, 'A click on a name sorts, on a row shows that run. Filters: >5, <=3, 1..2, or a word; they hold for all plots.'), this.box);
  }

  private width(column: Column): string {
    return column.kind === 'run' ? '68px' : column.words && column.kind !== 'status' ? '140px' : '112px';
  }

  private header(): void {
    const names = h('div', { class: 'runs-row', role: 'row' }), filters = h('div', { class: 'runs-row', role: 'row' });
    for (const column of this.columns) {
      const title = h('button', { type: 'button', title: `${column.title}${column.about ? `: ${column.about}` : ''}`, onclick: () => this.sort(column) }, column.title);
      const input = h('input', { type: 'text', 'aria-label': `Filter ${column.name}`, placeholder: 'filter', autocomplete: 'off', spellcheck: 'false' });
      input.addEventListener('input', () => {
        const good = this.table.filter(column, input.value);
        input.setAttribute('aria-invalid', String(!good));
        input.title = good ? '' : 'Expected >5, <=3, 1..2, a number or a word';
        if (good) this.changed();
      });
      const cell = h('div', { class: 'runs-cell', role: 'columnheader' }, title), below = h('div', { class: 'runs-cell', role: 'cell' }, input);
      cell.style.width = below.style.width = this.width(column);
      names.append(cell);
      filters.append(below);
      this.titles.set(column, title);
      this.inputs.set(column, input);
    }
    if (this.table.study.failed) {
      const cell = h('div', { class: 'runs-cell reason', role: 'columnheader' }, 'reason');
      names.append(cell);
      filters.append(h('div', { class: 'runs-cell reason', role: 'cell' }));
    }
    this.head.append(names, filters);
  }

  private sort(column: Column): void {
    const { sorted } = this.table;
    if (sorted?.column !== column) this.table.sort(column, false);
    else if (!sorted.down) this.table.sort(column, true);
    else this.table.sort(null);
    this.changed();
  }

  private clear(): void {
    for (const [column, input] of this.inputs) {
      input.value = '';
      input.setAttribute('aria-invalid', 'false');
      this.table.filter(column, '');
    }
    this.table.sort(null);
    this.changed();
  }

  draw(): void {
    const { table } = this, n = table.shown.length;
    this.count.textContent = n === table.rows ? `${n.toLocaleString('en')}` : `${n.toLocaleString('en')} of ${table.rows.toLocaleString('en')}`;
    for (const [column, title] of this.titles) {
      const sorted = table.sorted?.column === column ? table.sorted : null;
      title.parentElement!.setAttribute('aria-sort', sorted ? (sorted.down ? 'descending' : 'ascending') : 'none');
      title.textContent = `${column.title}${sorted ? (sorted.down ? ' ▼' : ' ▲') : ''}`;
    }
    this.box.setAttribute('aria-rowcount', String(n));
    this.first = -1;
    this.inner.style.height = `${Math.min(TALLEST, n * ROW) + this.head.offsetHeight}px`;
    this.rows();
  }

  private get seen(): number {
    return Math.max(1, Math.floor((this.box.clientHeight - this.head.offsetHeight) / ROW));
  }

  /* The first row in sight: the place of the scroll bar, as a share. */
  private rows(): void {
    const n = this.table.shown.length, seen = this.seen, room = this.inner.offsetHeight - this.box.clientHeight;
    const first = n <= seen || room <= 0 ? 0 : n * ROW <= TALLEST ? Math.min(n - seen, Math.floor(this.box.scrollTop / ROW)) : Math.round((this.box.scrollTop / room) * (n - seen));
    this.body.style.top = `${this.head.offsetHeight + (n * ROW <= TALLEST ? first * ROW : this.box.scrollTop)}px`;
    if (first === this.first) return;
    this.first = first;
    const rows: HTMLElement[] = [];
    for (let i = first; i < Math.min(n, first + seen + 2); i++) rows.push(this.row(this.table.shown[i]));
    this.body.replaceChildren(...rows);
  }

  private row(row: number): HTMLElement {
    const chosen = row === this.owner.selected();
    const line = h('div', { class: chosen ? 'runs-row chosen' : 'runs-row', role: 'row', tabindex: 0, 'aria-selected': String(chosen) });
    line.addEventListener('click', () => this.owner.choose(row));
    line.addEventListener('keydown', (event) => { if (event.key === 'Enter') this.owner.choose(row); });
    for (const column of this.columns) {
      const cell = h('div', { class: column.kind === 'status' && column.values[row] ? 'runs-cell failed' : 'runs-cell', role: 'cell' }, column.text(row));
      cell.style.width = this.width(column);
      line.append(cell);
    }
    if (this.table.study.failed) {
      const reason = this.table.reason(row);
      line.append(h('div', { class: 'runs-cell reason', role: 'cell', title: reason || undefined }, reason));
    }
    return line;
  }

  private csv(): void {
    const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const parts = [`${this.columns.map((c) => quote(c.name)).join(',')}\n`];
    for (const row of this.table.shown) parts.push(`${this.columns.map((c) => (c.words ? quote(c.text(row)) : Number.isNaN(c.values[row]) ? '' : c.values[row])).join(',')}\n`);
    download(this.fileName, new Blob(parts, { type: 'text/csv' }));
  }
}
