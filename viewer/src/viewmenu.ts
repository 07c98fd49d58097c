/* What is to be seen in the scene: a small panel over it. */

import type { Scene } from './data';
import { h, icon } from './dom';
import type { Look } from './parts';

export interface Switches { labels: boolean; joints: boolean; centers: boolean; grid: boolean; reactions: boolean; velocities: boolean }
export type Switch = keyof Switches;

export interface MenuActions {
  set(name: Switch, on: boolean): void;
  scale(name: 'reactions' | 'velocities', factor: number): void;
  follow(body: number): void;
  look(body: number, look: Look): void;
  focus(body: number): void;
  trace(body: number, point: number): void;
  clearTraces(): void;
  face(azimuth: number, elevation: number): void;
}

const WORDS: Record<Switch, string> = {
  labels: 'Names', joints: 'Joints', centers: 'Centres of mass', grid: 'Grid', reactions: 'Reaction forces', velocities: 'Velocities',
};

const LOOKS: Look[] = ['shown', 'transparent', 'hidden'];
const MOST_BODIES = 200;

export class ViewMenu {
  readonly element: HTMLDetailsElement;
  readonly follow: HTMLSelectElement;
  private readonly looks: HTMLSelectElement[] = [];
  private readonly boxes = new Map<Switch, HTMLInputElement>();
  private readonly traced = h('div', { class: 'traced' });

  constructor(scene: Scene, has: { reactions: boolean; velocities: boolean }, actions: MenuActions) {
    const box = (name: Switch) => {
      const input = h('input', { type: 'checkbox' });
      input.addEventListener('change', () => actions.set(name, input.checked));
      this.boxes.set(name, input);
      return h('label', {}, input, WORDS[name]);
    };
    const arrows = (name: 'reactions' | 'velocities') => {
      const slider = h('input', { type: 'range', min: -2, max: 2, step: 0.05, value: 0, 'aria-label': `Scale of ${WORDS[name].toLowerCase()}` });
      slider.addEventListener('input', () => actions.scale(name, 10 ** Number(slider.value)));
      return has[name] ? h('div', { class: 'pair' }, box(name), slider) : null;
    };
    this.follow = h('select', {}, h('option', { value: -1 }, 'nothing'));
    scene.bodies.forEach((body, i) => this.follow.append(h('option', { value: i }, body.name)));
    this.follow.addEventListener('change', () => actions.follow(Number(this.follow.value)));
    const point = h('select', { 'aria-label': 'Point to trace' }, h('option', { value: '' }, 'a point …'));
    scene.bodies.forEach((body, i) => {
      point.append(h('option', { value: `${i} -1` }, `${body.name}: centre`));
      body.points.forEach((p, k) => point.append(h('option', { value: `${i} ${k}` }, `${body.name}.${p.name}`)));
    });
    point.addEventListener('change', () => {
      if (!point.value) return;
      const [b, k] = point.value.split(' ').map(Number);
      actions.trace(b, k);
      point.value = '';
    });
    const faces: [string, number, number][] = scene.space === 'planar'
      ? [['Face', 0, 0], ['Oblique', -0.5, 0.35]]
      : [['Front', -Math.PI / 2, 0], ['Side', 0, 0], ['Top', -Math.PI / 2, 1.5], ['Oblique', -Math.PI / 3, 0.36]];
    this.element = h('details', { class: 'menu' },
      h('summary', { title: 'What is shown', 'aria-label': 'What is shown' }, icon('eye'), h('span', {}, 'View')),
      h('div', { class: 'menu-body' },
        h('div', { class: 'faces' }, ...faces.map(([name, a, e]) => h('button', { type: 'button', onclick: () => actions.face(a, e) }, name))),
        box('labels'), box('joints'), box('centers'), box('grid'), arrows('reactions'), arrows('velocities'),
        this.bodies(scene, actions),
        h('label', { class: 'row' }, 'Follow', this.follow),
        h('label', { class: 'row' }, 'Trace', point),
        this.traced));
    this.traced.append(h('button', { type: 'button', onclick: () => actions.clearTraces() }, 'Clear traces'));
  }

  /* How each body is seen, and a button that brings it near. */
  private bodies(scene: Scene, actions: MenuActions): HTMLElement {
    return h('details', { class: 'bodies' }, h('summary', {}, 'Bodies'), ...scene.bodies.slice(0, MOST_BODIES).map((body, i) => {
      const look = h('select', { 'aria-label': `How ${body.name} is seen` }, ...LOOKS.map((word) => h('option', { value: word }, word)));
      look.addEventListener('change', () => actions.look(i, look.value as Look));
      this.looks.push(look);
      return h('div', { class: 'row' }, h('button', { type: 'button', class: 'link', title: `Bring ${body.name} near`, onclick: () => actions.focus(i) }, body.name), look);
    }));
  }

  /* The menu says what was chosen elsewhere. */
  look(body: number, look: Look): void {
    if (this.looks[body]) this.looks[body].value = look;
  }

  show(switches: Switches): void {
    for (const [name, input] of this.boxes) input.checked = switches[name];
  }

  traces(items: { label: string; color: string }[]): void {
    const list = items.map(({ label, color }) => {
      const swatch = h('i', { class: 'swatch' });
      swatch.style.background = color;
      return h('span', {}, swatch, label);
    });
    const clear = this.traced.querySelector('button')!;
    clear.hidden = !items.length;
    this.traced.replaceChildren(...list, clear);
  }
}
