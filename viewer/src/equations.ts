/* Equations: sections that the program wrote as HTML, one a formulation. The menu shows one of them; terms say where they come from. */

import { copy } from './copy';
import { bytesOf } from './data';
import { button, h } from './dom';
import { unpack } from './lz4';

const ORIGINS: [string, string][] = [
  ['inertia', 'inertia'], ['gyroscopic', 'centrifugal and gyroscopic'], ['gravity', 'gravity'], ['spring', 'springs'], ['force', 'dampers and applied forces'],
  ['constraint', 'constraints'], ['several', 'several of these'],
];

export class Equations {
  readonly element = h('div', { class: 'equations' });
  readonly menu = h('select', { 'aria-label': 'Formulation' });
  private readonly told = h('span', { class: 'told', role: 'status' });
  private readonly origins = h('p', { class: 'origins', role: 'group', 'aria-label': 'Colours of the terms' });
  private readonly said = h('div', { class: 'chosen-term', role: 'status' });
  private readonly sections: HTMLElement[];
  private term: HTMLElement | null = null;

  /* `fill`: what is in the section of this number, where `content` has only its tag. */
  constructor(content: Node, private readonly fill?: (section: number) => string) {
    const body = h('div', { class: 'card' }, content);
    this.sections = [...body.querySelectorAll<HTMLElement>('section.formulation')];
    for (const section of this.sections) this.menu.append(h('option', { value: section.dataset.name }, `${section.dataset.name}, coordinates ${section.dataset.coordinates}`));
    const bar = h('div', { class: 'bar' }, h('label', {}, 'Formulation', this.menu), button('copy', 'Copy the equations as LaTeX', () => void copy(this.latex(), this.told), 'Copy as LaTeX'), this.told);
    if (this.sections.length) this.element.append(bar, this.origins);
    this.element.append(body, this.said);
    this.menu.addEventListener('change', () => this.show(this.menu.value));
    body.addEventListener('click', (event) => this.choose((event.target as Element).closest<HTMLElement>('.t[title]'), this.definition(event.target as Element)));
    body.addEventListener('keydown', (event) => this.walk(event));
    if (this.sections.length) this.show(this.menu.value);
  }

  get shown(): string {
    return this.menu.value;
  }

  latex(): string {
    return this.sections.find((s) => s.dataset.name === this.menu.value)?.querySelector('pre.tex')?.textContent ?? '';
  }

  show(name: string): void {
    if (!this.sections.some((s) => s.dataset.name === name)) return;
    this.menu.value = name;
    this.choose(null);
    for (const section of this.sections) {
      section.hidden = section.dataset.name !== name;
      if (section.hidden) continue;
      if (this.fill && !section.firstChild) section.innerHTML = this.fill(this.sections.indexOf(section));
      const there = ORIGINS.filter(([kind]) => section.querySelector(`.t.${kind}`));
      this.origins.replaceChildren(...there.map(([kind, words]) => h('span', { class: kind }, words)));
    }
  }

  /* What a named quantity is: the equation that defines the one that was clicked on. */
  private definition(target: Element): Node[] {
    const name = target.closest('msub')?.textContent, section = target.closest('section');
    const found = name && [...section?.querySelectorAll('.eq.z') ?? []].find((z) => z.querySelector('math > msub:first-child')?.textContent === name);
    return found ? [...found.childNodes].map((child) => child.cloneNode(true)) : [];
  }

  /* A term is chosen by a click, or by the arrows in its equation. */
  private choose(term: HTMLElement | null, definition: Node[] = []): void {
    this.term?.classList.remove('chosen');
    this.term = term;
    term?.classList.add('chosen');
    this.said.replaceChildren(...(term?.title ? [term.title] : []), ...(definition.length ? [h('div', { class: 'eq' }, ...definition)] : []));
  }

  private walk(event: KeyboardEvent): void {
    const equation = (event.target as Element).closest<HTMLElement>('.eq');
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!equation || (!step && event.key !== 'Escape')) return;
    const terms = [...equation.querySelectorAll<HTMLElement>('.t[title]')];
    const at = this.term ? terms.indexOf(this.term) : -1;
    this.choose(step ? terms[(at + step + (at < 0 && step < 0 ? 1 : 0) + terms.length) % terms.length] : null);
    event.preventDefault();
    event.stopPropagation();
  }
}

/* Those of a report page: parts that src/output/page_equations.c packed, of which a section is unpacked when it is looked at. They are markup that the program wrote: names of the model are escaped there, and the policy of the page runs nothing in it. */
export function equationsOf(page: Document): Equations | null {
  const element = page.getElementById('equations');
  if (!element) return null;
  const bytes = bytesOf(element.textContent ?? '');
  const view = new DataView(bytes.buffer);
  const parts: { size: number; block: Uint8Array }[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = view.getUint32(at, true), packed = view.getUint32(at + 4, true);
    parts.push({ size, block: bytes.subarray(at + 8, at += 8 + packed) });
  }
  const text = (part: number) => new TextDecoder().decode(unpack(parts[part].block, parts[part].size));
  const list = text(0).split('\t');
  const words = new Map<string, string>();
  for (let i = 0; i + 1 < list.length; i += 2) words.set(String.fromCharCode(list[i + 1].charCodeAt(0) - 64), list[i]);
  const whole = (part: number) => text(part).replace(/[\x01-\x08\x0b\x0e-\x1f]/g, (byte) => words.get(byte) ?? '');
  const template = page.createElement('template');
  template.innerHTML = whole(1);
  return new Equations(template.content, (section) => whole(2 + section));
}
