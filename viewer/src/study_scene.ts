/* The run that is shown, moving. All runs of the page share one camera, so that they can be compared. */

import { addGears } from './gears';
import { control } from './camera';
import type { Blocks, Item } from './data';
import { button, h } from './dom';
import { type Extent, measure } from './extent';
import { Mechanism } from './mechanism';
import { Motion } from './motion';
import { Clock, PlayerBar } from './player';
import { Stage } from './stage';
import type { ThemeSwitch } from './theme';

/* Beyond so many sizes of the mechanism the camera goes along. Below them it stands still, so that runs can be compared. */
const FAR = 40;

/* What all motions occupy together. */
function together(extents: Extent[]): Extent {
  const of = (k: number, corner: 'low' | 'high', take: (...v: number[]) => number) => take(...extents.map((e) => e[corner][k] + e.origin[k]));
  const low = [0, 1, 2].map((k) => of(k, 'low', Math.min)), high = [0, 1, 2].map((k) => of(k, 'high', Math.max));
  const origin = low.map((x, k) => (x + high[k]) / 2) as [number, number, number];
  const units = extents.map((e) => e.unit).sort((a, b) => a - b);
  const cloud: number[] = [];
  for (const e of extents) {
    const points = e.cloud.length / 3, some = Math.min(points, Math.ceil(30000 / extents.length));
    for (let j = 0; j < some; j++) {      // spread by the golden section: even steps could meet the same point of each frame
      const i = some === points ? j : Math.floor(((j * 0.6180339887498949) % 1) * points);
      for (let k = 0; k < 3; k++) cloud.push(e.cloud[3 * i + k] + e.origin[k] - origin[k]);
    }
  }
  const whole: Extent = {
    origin, low: low.map((x, k) => x - origin[k]) as typeof origin, high: high.map((x, k) => x - origin[k]) as typeof origin,
    size: Math.max(...extents.map((e) => e.size)), path: Math.hypot(...low.map((x, k) => high[k] - x)), unit: units[units.length >> 1], wheel: Math.max(...extents.map((e) => e.wheel)),
    reach: extents[0].reach, cloud: Float32Array.from(cloud), roams: false,
  };
  whole.roams = whole.path > FAR * whole.size;
  return whole;
}

export class RunScene {
  readonly canvas = h('canvas', { class: 'scene', tabindex: 0, 'aria-label': 'The mechanism of the run that is shown' });
  readonly box = h('div', { class: 'stage' }, this.canvas);
  readonly bar = h('div', {});
  readonly ready: Promise<void>;
  clock = new Clock(0, 1);
  shown = -1;
  changed: () => void = () => undefined;
  private readonly motions: Motion[];
  private stage: Stage | null = null;
  private mechanism: Mechanism | null = null;
  private player: PlayerBar | null = null;
  private framed = true;      // until the reader moves the camera
  private asked = 0;
  private last = 0;
  private drawn: () => void = () => undefined;

  constructor(private readonly items: Item[], private readonly blocks: Blocks, private readonly theme: ThemeSwitch, problem: (text: string) => void) {
    this.ready = new Promise((resolve) => (this.drawn = resolve));
    this.motions = items.map((item) => new Motion(item.series[0], blocks, item.scene.bodies.length));
    const moving = items.map((_, i) => i).filter((i) => this.motions[i].frames && items[i].scene.bodies.length);
    try {
      if (moving.length) {
        moving.forEach((i) => addGears(items[i].scene, this.motions[i]));
        const extent = together(moving.map((i) => measure(items[i].scene, [this.motions[i]], blocks)));
        this.stage = new Stage(this.canvas, items[moving[0]].scene, extent, theme.tones());
        control(this.canvas, this.stage.view, () => { this.framed = false; this.change(); }, () => undefined);
      }
    } catch (error) {
      problem(String(error));
    }
    if (!this.stage) { this.drawn(); return; }
    this.box.append(h('div', { class: 'toolbar' }, button('fit', 'Everything in sight (f)', () => this.fit())));
    new ResizeObserver(() => this.change()).observe(this.box);
  }

  get moves(): boolean {
    return this.stage !== null;
  }

  motion(): Motion | null {
    return this.shown >= 0 ? this.motions[this.shown] : null;
  }

  /* The item of that number moves from now on. */
  show(index: number): void {
    if (!this.stage || index === this.shown || !this.motions[index]?.frames) return;
    const { stage } = this, motion = this.motions[index], first = this.shown < 0;
    if (this.mechanism) {
      stage.world.remove(this.mechanism.group);
      stage.mechanisms.length = 0;
      this.mechanism.dispose();
    }
    this.shown = index;
    this.mechanism = new Mechanism(this.items[index].scene, motion, this.blocks, stage.extent, null, 0);
    stage.add(this.mechanism);
    const wish = this.items[index].scene.view;
    if (wish) this.mechanism.grant(wish);
    if (wish?.camera && first) stage.view.from(wish.camera);
    this.mechanism.parts.tint(this.theme.theme === 'dark');
    if (!this.player || motion.start !== this.clock.start || motion.end !== this.clock.end) this.wind(motion);
    if (first) this.fit();
    this.change();
  }

  /* A clock for a run of another length; the speed stays. */
  private wind(motion: Motion): void {
    const before = this.clock, known = this.player !== null;
    this.clock = new Clock(motion.start, motion.end);
    this.clock.playing = before.playing;
    if (known) { this.clock.speed = before.speed; this.clock.loop = before.loop; this.clock.set(before.t); }
    this.player = new PlayerBar(this.clock, { toggle: () => this.toggle(), step: (n) => this.step(n), seek: (t) => this.seek(t), changed: () => this.change() });
    this.bar.replaceChildren(this.player.element);
  }

  fit(): void {
    this.framed = true;
    this.size();
    this.stage?.fit();
    this.change();
  }

  tint(): void {
    this.stage?.tint(this.theme.tones(), this.theme.theme === 'dark');
    this.change();
  }

  toggle(): void {
    if (this.clock.playing) this.clock.playing = false;
    else this.clock.play();
    this.change();
  }

  play(): void {
    this.clock.play();
    this.change();
  }

  pause(): void {
    this.clock.playing = false;
    this.change();
  }

  step(frames: number): void {
    const motion = this.motion();
    if (!motion) return;
    this.clock.playing = false;
    this.seek(motion.time[Math.min(motion.frames - 1, Math.max(0, motion.frameAt(this.clock.t) + frames))]);
  }

  seek(t: number): void {
    this.clock.set(t);
    this.draw(performance.now());
  }

  pose(name: string): { position: number[]; quaternion: number[] } | null {
    const index = this.shown < 0 ? -1 : this.items[this.shown].scene.bodies.findIndex((b) => b.name === name), { mechanism } = this;
    if (index < 0 || !mechanism) return null;
    mechanism.update(this.clock.t);
    const p = mechanism.pose.subarray(7 * index, 7 * index + 7);
    return { position: [...p.subarray(0, 3)], quaternion: [...p.subarray(3, 7)] };
  }

  private size(): void {
    if (this.stage?.resize(this.box.clientWidth, this.box.clientHeight) && this.framed) this.stage.fit();
  }

  private change(): void {
    if (!this.asked && this.stage) this.asked = requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.asked = 0;
    if (this.clock.playing && this.last) this.clock.advance(Math.min(0.25, (now - this.last) / 1000));
    this.last = this.clock.playing ? now : 0;
    this.draw(now);
    if (this.clock.playing) this.change();
    else this.stage?.rest();
  }

  private draw(now: number): void {
    if (!this.stage || !this.mechanism || !this.box.clientWidth) return;
    this.size();
    this.mechanism.update(this.clock.t);
    if (this.stage.extent.roams && this.items[this.shown].scene.bodies.length) {
      this.mechanism.locate(0, this.items[this.shown].scene.bodies[0].center, this.stage.view.target);
      this.stage.shiftGrid();
    }
    this.stage.draw(now);
    this.player?.update();
    this.changed();
    this.drawn();
  }
}
