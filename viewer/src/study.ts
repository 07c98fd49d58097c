/* The page of a study: the table of its runs, plots over all of them, and the run that is chosen, moving. */

import './study.css';
import type { Blocks, Header } from './data';
import { button, fileName, h, number } from './dom';
import { copy } from './copy';
import { words } from './evidence';
import { Bands, Histogram, type Track } from './study_chance';
import { Curves, HeatMap } from './study_curves';
import { Table, studyOf } from './study_data';
import { RunScene } from './study_scene';
import { Scatter } from './study_scatter';
import { RunTable } from './study_table';
import type { Owner, View } from './study_view';
import type { ThemeSwitch } from './theme';

interface Tab { tab: HTMLButtonElement; panel: HTMLElement; view: View }

/* In quotes where a shell would not take it as one word. */
const word = (text: string) => (/^[\w\-+=./,:@%^]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export class Study implements Owner {
  readonly ready: Promise<void>;
  readonly table: Table;
  private readonly study;
  private readonly scene: RunScene;
  private readonly motionOf = new Map<number, number>();      // run: item
  private readonly tabs = new Map<string, Tab>();
  private readonly about = h('section', { class: 'card chosen-run', 'aria-live': 'polite' });
  private row = -1;
  private tab = '';
  private readonly scatter: Scatter;
  private readonly map: HeatMap | null = null;
  private readonly curves: Curves | null = null;
  private readonly histogram: Histogram | null = null;
  private readonly bands: Bands | null = null;

  constructor(private readonly header: Header, private readonly blocks: Blocks, private readonly theme: ThemeSwitch, problem: (text: string) => void) {
    const study = (this.study = studyOf(header));
    this.table = new Table(study, blocks);
    const items = header.items ?? [];
    study.motions.forEach((run, i) => { if (items[i]?.series[0]?.frames) this.motionOf.set(run, i); });
    this.scene = new RunScene(items, blocks, theme, problem);
    this.scatter = new Scatter(this);
    const { factors, summaries } = this.table;
    const several = study.rows > 1 && summaries.length > 0;
    if (several && factors.length) this.curves = new Curves(this);
    if (several && factors.length > 1) this.map = new HeatMap(this);
    if (several) this.histogram = new Histogram(this);
    if (study.bands) this.bands = new Bands(study.bands, blocks, () => this.track(), () => this.scene.clock.t, (t) => this.scene.seek(t));
    this.compose();
    this.ready = this.scene.ready;
    this.scene.changed = () => { if (this.tab === 'time') this.bands?.draw(); };
    theme.changed = () => { this.scene.tint(); this.view()?.draw(); };
    document.addEventListener('keydown', (event) => this.key(event));
    this.open('table');
    const first = study.motions.length ? this.table.rowOf([...this.motionOf.keys()][0] ?? study.motions[0]) : this.table.rows ? 0 : -1;
    this.choose(first);
  }

  /* ---- the frame ---- */

  private compose(): void {
    const { header, study, theme } = this;
    const all = study.there === study.runs ? '' : `, ${(study.runs - study.there).toLocaleString('en')} missing`;
    const kind = `${study.runs.toLocaleString('en')} runs${all}, ${study.failed.toLocaleString('en')} failed`;
    const changed = () => { for (const { view } of this.tabs.values()) if (view === this.view() || view instanceof RunTable) view.draw(); };
    const views: [string, string, View | null][] = [
      ['table', 'Table', new RunTable(this, changed, fileName(header.title, 'csv'))], ['scatter', 'Points', this.scatter], ['curves', 'Response', this.curves],
      ['map', 'Map', this.map], ['histogram', 'Distribution', this.histogram], ['time', 'Over time', this.bands]];
    const bar = h('div', { class: 'tabs', role: 'tablist' }), panels = h('div', { class: 'panel study-panel' });
    for (const [key, title, view] of views) {
      if (!view) continue;
      const tab = h('button', { type: 'button', role: 'tab', id: `tab-${key}`, 'aria-controls': `panel-${key}`, onclick: () => this.open(key) }, title);
      const panel = h('div', { role: 'tabpanel', id: `panel-${key}`, 'aria-labelledby': `tab-${key}` }, view.element);
      bar.append(tab);
      panels.append(panel);
      this.tabs.set(key, { tab, panel, view });
    }
    const left = h('div', { class: 'left' }, this.scene.moves ? this.scene.box : h('div', { class: 'stage' }, h('p', { class: 'empty' }, 'No run moves in this page: --motions says how many do.')), this.scene.bar);
    document.body.append(h('div', { class: 'page study' },
      h('header', { class: 'top' }, h('h1', {}, header.title), h('span', { class: 'kind' }, kind), h('span', { class: 'grow' }), button('moon', 'Light or dark (d)', () => theme.toggle())),
      h('main', {}, left, h('div', { class: 'side' }, bar, h('div', { class: 'side-scroll' }, this.about, this.notes(), panels)))));
  }

  /* What a reader has to know before believing the plots. */
  private notes(): HTMLElement | null {
    const { study } = this, texts: string[] = [];
    if (study.rows < study.there) texts.push(`The page has ${study.rows.toLocaleString('en')} of ${study.there.toLocaleString('en')} runs: a random sample, and the runs with the least and the largest value of each summary.`);
    if (study.there < study.runs) texts.push(`${(study.runs - study.there).toLocaleString('en')} of ${study.runs.toLocaleString('en')} runs are missing.`);
    if (study.failures.length < study.failed) texts.push(`Reasons are there for the first ${study.failures.length} runs that failed.`);
    return texts.length ? h('p', { class: 'dim study-notes' }, texts.join(' ')) : null;
  }

  private view(): View | null {
    return this.tabs.get(this.tab)?.view ?? null;
  }

  private open(key: string): void {
    this.tab = key;
    for (const [name, { tab, panel }] of this.tabs) {
      tab.setAttribute('aria-selected', String(name === key));
      panel.hidden = name !== key;
    }
    this.view()?.draw();
  }

  private key(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ' ' && !(event.target instanceof HTMLButtonElement)) { event.preventDefault(); this.scene.toggle(); }
    else if (event.key === 'd') this.theme.toggle();
    else if (event.key === 'f') this.scene.fit();
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') { event.preventDefault(); this.scene.step((event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? 10 : 1)); }
    else if (event.key === 'Home' || event.key === 'End') { event.preventDefault(); this.scene.seek(event.key === 'Home' ? this.scene.clock.start : this.scene.clock.end); }
    else if (/^[1-9]$/.test(event.key)) { const name = [...this.tabs.keys()][Number(event.key) - 1]; if (name) this.open(name); }
  }

  /* ---- the run that is chosen ---- */

  selected(): number {
    return this.row;
  }

  moves(row: number): boolean {
    return this.motionOf.has(this.table.runOf(row));
  }

  /* The run that moves in place of one that does not: the nearest in the factors, each divided by its range. */
  private standIn(row: number): number {
    let best = -1, least = Infinity;
    for (const run of this.motionOf.keys()) {
      const other = this.table.rowOf(run);
      if (other < 0) continue;
      let d = 0;
      for (const f of this.table.factors) {
        const [low, high] = f.extent, difference = f.values[row] - f.values[other];
        d += f.words ? Number(difference !== 0) : high > low ? (difference / (high - low)) ** 2 : 0;
      }
      if (d < least) { least = d; best = run; }
    }
    return best;
  }

  choose(row: number): void {
    if (row < 0 || row >= this.table.rows) return;
    this.row = row;
    const run = this.table.runOf(row), shown = this.motionOf.has(run) ? run : this.standIn(row);
    if (shown >= 0) this.scene.show(this.motionOf.get(shown)!);
    this.tell(run, shown);
    this.view()?.draw();
  }

  /* The command that makes the page of a run: its values in full. */
  command(row: number): string {
    const { study } = this;
    if (!study.command) return '';
    const parts = study.factors.map((f, i) => {
      const column = this.table.factors[i], value = column.words ? column.words[column.values[row]] : String(column.values[row]);
      return f.setting ? `--${f.name} ${word(value)}` : `--set ${word(`${f.name}=${value}`)}`;
    });
    return `${study.command} ${parts.join(' ')} -o run-${this.table.runOf(row)}.html`;
  }

  private tell(run: number, shown: number): void {
    const { table, row } = this, command = this.command(row), reason = table.reason(row);
    const facts = [...table.factors, ...table.summaries].map((c) => h('span', {}, `${c.name} `, h('b', {}, `${c.text(row)}${c.unit ? ` ${c.unit}` : ''}`)));
    const said = h('span', { class: 'told', role: 'status' });
    const copies = button('copy', 'Copy the command', () => void copy(command, said));
    this.about.replaceChildren(h('header', {}, h('h3', {}, `Run ${number(run, 12)}`)), h('div', { class: 'readout' }, ...facts));
    if (reason) this.about.append(h('p', { class: 'failed' }, reason));
    if (shown !== run && shown >= 0) this.about.append(h('p', { class: 'dim stand-in' }, `The motion of this run is not in the page; run ${shown}, the nearest one that is, moves. The command below makes the page of this run.`));
    if (command) this.about.append(h('details', {}, h('summary', {}, 'The command that runs it alone'), h('div', { class: 'command' }, words(command), copies, said)));
  }

  private track(): Track | null {
    const motion = this.scene.motion();
    if (!motion) return null;
    const { series } = motion;
    return {
      name: series.name, time: motion.time,
      values: (name) => {
        const channel = series.channels.find((c) => c.name === name);
        if (!channel || series.values == null) return null;
        const all = this.blocks.get(series.values), n = series.channels.length;
        return Float64Array.from(motion.time, (_, i) => all[i * n + channel.column]);
      },
    };
  }

  /* ---- for tests and for the curious ---- */

  api(): Record<string, unknown> {
    const { scene, table } = this;
    return {
      time: () => scene.clock.t, setTime: (t: number) => scene.seek(t), play: () => scene.play(), pause: () => scene.pause(), playing: () => scene.clock.playing,
      frame: () => scene.motion()?.frameAt(scene.clock.t) ?? 0, pose: (name: string) => scene.pose(name), channels: () => [], show: () => undefined,
      select: (run: number) => this.choose(table.rowOf(Number(run))), frameTimes: () => [],
      tab: (key: string) => this.open(key),
      filter: (name: string, text: string) => { const c = table.named(name), good = c ? table.filter(c, text) : false; for (const { view } of this.tabs.values()) view.draw(); return good; },
      sort: (name: string, down: boolean) => { table.sort(table.named(name) ?? null, down); for (const { view } of this.tabs.values()) view.draw(); },
      shown: (most = 100) => Array.from(table.shown.subarray(0, most), (row) => table.runOf(row)),
      count: () => table.shown.length,
      value: (run: number, name: string) => table.named(name)?.values[table.rowOf(run)],
      command: (run: number) => this.command(table.rowOf(run)),
      moving: () => (scene.shown < 0 ? null : this.study.motions[scene.shown]),
      motions: () => [...this.motionOf.keys()],
      place: (run: number) => (this.tab === 'map' ? this.map : this.scatter)?.place(table.rowOf(run)),
      curves: () => this.curves?.drawn ?? [], cells: () => this.map?.cells ?? [], counts: () => this.histogram?.counts ?? [], dense: () => this.scatter.dense,
      view: () => ({ tabs: [...this.tabs.keys()], theme: this.theme.theme, tab: this.tab, selected: this.row < 0 ? null : table.runOf(this.row) }),
    };
  }
}
