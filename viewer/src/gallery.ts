/* The index of a gallery: a card a model, each with its mechanism moving. One renderer draws all thumbnails in turn, and only those in sight. */

import { addGears } from './gears';
import { Color, Scene as World, WebGLRenderer, type DirectionalLight } from 'three';
import { upOf } from './build';
import { View } from './camera';
import type { Blocks, Header, Item } from './data';
import { button, h } from './dom';
import { measure } from './extent';
import { Mechanism } from './mechanism';
import { Motion } from './motion';
import { Clock } from './player';
import { aimLight, frame, light } from './stage';
import type { ThemeSwitch } from './theme';

/* Only addresses beside this page: no scheme, no host. */
function safe(href: string): string | undefined {
  try {
    const { protocol, host } = new URL(href, 'file:///beside/');
    return protocol === 'file:' && host === '' ? href : undefined;
  } catch {
    return undefined;
  }
}

class Thumbnail {
  readonly canvas = h('canvas', { class: 'thumb', 'aria-hidden': 'true' });
  visible = false;
  drawn = false;
  private readonly context = this.canvas.getContext('2d')!;
  private world: World | null = null;
  private view: View | null = null;
  private sun: DirectionalLight | null = null;
  private mechanism: Mechanism | null = null;
  private clock: Clock | null = null;
  private roams = false;
  private dark = false;

  constructor(private readonly item: Item, private readonly blocks: Blocks) {}

  private build(): void {
    const { scene, series } = this.item;
    const motion = new Motion(series[0], this.blocks, scene.bodies.length);
    addGears(scene, motion);
    const extent = measure(scene, [motion], this.blocks);
    this.world = new World();
    this.sun = light(this.world);
    this.mechanism = new Mechanism(scene, motion, this.blocks, extent, null, 0);
    this.world.add(this.mechanism.group);
    this.view = new View(scene.space === 'planar', upOf(scene), extent.size);
    this.view.aspect = 1.6;
    if (scene.view) this.mechanism.grant(scene.view);
    if (scene.view?.camera) this.view.from(scene.view.camera);
    frame(this.view, extent);
    this.roams = extent.roams;
    this.clock = new Clock(motion.start, motion.end);
    this.clock.playing = true;
  }

  draw(renderer: WebGLRenderer, seconds: number, back: Color, dark: boolean): void {
    if (!this.world) this.build();
    if (this.dark !== dark) this.mechanism!.parts.tint((this.dark = dark));
    this.clock!.advance(seconds);
    this.mechanism!.update(this.clock!.t);
    if (this.roams) this.mechanism!.locate(0, this.item.scene.bodies[0].center, this.view!.target);
    this.view!.update();
    aimLight(this.sun!, this.view!);
    this.world!.background = back;
    renderer.render(this.world!, this.view!.camera);
    const { width, height } = renderer.domElement;
    if (this.canvas.width !== width) { this.canvas.width = width; this.canvas.height = height; }
    this.context.drawImage(renderer.domElement, 0, 0);
    this.drawn = true;
  }

  get time(): number {
    return this.clock?.t ?? 0;
  }
}

export class Gallery {
  readonly ready: Promise<void>;
  private readonly thumbnails: Thumbnail[] = [];
  private readonly renderer: WebGLRenderer | null = null;
  private readonly still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  private last = 0;
  private running = false;
  private back = new Color();
  private drawnOnce: () => void = () => undefined;
  private readonly times: number[] = [];

  constructor(header: Header, blocks: Blocks, private readonly theme: ThemeSwitch, problem: (text: string) => void) {
    this.ready = new Promise((resolve) => (this.drawnOnce = resolve));
    try {
      this.renderer = new WebGLRenderer({ antialias: true });
      this.renderer.setPixelRatio(1);
      const ratio = Math.min(2, window.devicePixelRatio || 1);
      this.renderer.setSize(360 * ratio, 225 * ratio, false);
    } catch (error) {
      problem(String(error));
      this.drawnOnce();
    }
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) this.thumbnails[Number((entry.target as HTMLElement).dataset.index)].visible = entry.isIntersecting;
      this.run();
    }, { rootMargin: '80px' });
    const groups = new Map<string, HTMLElement>();
    const main = h('main', { class: 'gallery' });
    for (const item of header.items ?? []) {
      const name = item.group ?? '';
      let group = groups.get(name);
      if (!group) {
        groups.set(name, (group = h('div', { class: 'shelf' })));
        if (name) main.append(h('h2', {}, name));
        main.append(group);
      }
      group.append(this.card(item, blocks, observer));
    }
    document.body.append(h('div', { class: 'page index' },
      h('header', { class: 'top' }, h('h1', {}, header.title), h('span', { class: 'kind' }, `${header.items?.length ?? 0} models`), h('span', { class: 'grow' }),
        this.search(main), button('moon', 'Light or dark', () => theme.toggle())),
      main));
    this.tint();
    theme.changed = () => { this.tint(); for (const t of this.thumbnails) t.drawn = false; this.run(); };
    document.addEventListener('keydown', (event) => { if (event.key === 'd' && !(event.target instanceof HTMLInputElement)) theme.toggle(); });
  }

  private tint(): void {
    this.back = new Color(this.theme.tones().back);
  }

  private search(main: HTMLElement): HTMLElement {
    const input = h('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search models' });
    input.addEventListener('input', () => {
      for (const card of main.querySelectorAll<HTMLElement>('.model-card')) card.hidden = !card.textContent!.toLowerCase().includes(input.value.toLowerCase());
    });
    return input;
  }

  private card(item: Item, blocks: Blocks, observer: IntersectionObserver): HTMLElement {
    const n = item.scene.bodies.length, thumbnail = n ? new Thumbnail(item, blocks) : null;
    if (thumbnail) {
      thumbnail.canvas.dataset.index = String(this.thumbnails.length);
      this.thumbnails.push(thumbnail);
      observer.observe(thumbnail.canvas);
    }
    return h('a', { class: 'model-card', href: safe(item.href) }, thumbnail?.canvas ?? h('div', { class: 'thumb bare' }, 'No bodies to draw: its page has plots.'),
      h('h3', {}, item.title), item.text ? h('p', {}, item.text) : null,
      h('p', { class: 'dim' }, `${item.scene.space}, ${n} ${n === 1 ? 'body' : 'bodies'}, ${item.scene.joints.length} ${item.scene.joints.length === 1 ? 'joint' : 'joints'}`));
  }

  private run(): void {
    if (this.running || !this.renderer) return;
    this.running = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    const seconds = this.last ? Math.min(0.25, (now - this.last) / 1000) : 0;
    if (seconds) { this.times.push(seconds); if (this.times.length > 240) this.times.shift(); }
    this.last = now;
    let seen = 0;
    for (const thumbnail of this.thumbnails) {
      if (!thumbnail.visible) continue;
      seen++;
      if (!this.still || !thumbnail.drawn) thumbnail.draw(this.renderer!, this.still ? 0 : seconds, this.back, this.theme.theme === 'dark');
    }
    if (seen) this.drawnOnce();
    this.running = seen > 0 && !this.still && !document.hidden;
    if (this.running) requestAnimationFrame((later) => this.tick(later));
    else this.last = 0;
  }

  api(): Record<string, unknown> {
    return {
      time: () => Math.max(0, ...this.thumbnails.map((t) => t.time)), setTime: () => undefined, play: () => this.run(), pause: () => undefined, playing: () => this.running,
      frame: () => 0, pose: () => null, channels: () => [], show: () => undefined, select: () => undefined, frameTimes: () => this.times.slice(),
      view: () => ({ tabs: [], theme: this.theme.theme, drawn: this.thumbnails.filter((t) => t.drawn).length }),
    };
  }
}
