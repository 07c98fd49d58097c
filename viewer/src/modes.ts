/* Modes: shapes of small motions that move the bodies about where they stand,
 *   p = p0 + L sum a_k Re(d_k e^(i f_k)),   q = turn(sum a_k Re(w_k e^(i f_k))) q0
 * with the phase f_k of mode k. The slowest mode that is chosen goes through four periods, the others keep their ratio to it. */

import type { Blocks, Modes, Series } from './data';
import { h, number } from './dom';
import { Motion } from './motion';

const PERIODS = 4;

export class ModalMotion extends Motion {
  readonly chosen: boolean[];
  amplitude = 0.2;

  constructor(series: Series, blocks: Blocks, bodies: number, readonly modes: Modes) {
    super(series, blocks, bodies);
    this.chosen = modes.list.map((_, i) => i === 0);
  }

  /* Modes that do not oscillate move to and fro once all the same. */
  private pace(i: number): number {
    const paces = this.modes.list.map((m) => (m.frequency > 0 ? m.frequency : 0));
    const slowest = Math.min(...paces.filter((f, k) => f > 0 && this.chosen[k]), Infinity);
    return paces[i] > 0 && Number.isFinite(slowest) ? paces[i] / slowest : 1;
  }

  override sample(t: number, out: Float64Array): void {
    super.sample(t, out);
    const span = this.end - this.start;
    const s = span > 0 ? (t - this.start) / span : 0;
    this.modes.list.forEach((mode, i) => {
      if (!this.chosen[i]) return;
      const phase = 2 * Math.PI * PERIODS * s * this.pace(i);
      const c = this.amplitude * Math.cos(phase), d = this.amplitude * Math.sin(phase);
      for (let b = 0; b < this.bodies; b++) move(out, 7 * b, mode.re, mode.im, 6 * b, c, d, this.modes.length);
    });
  }
}

function move(out: Float64Array, k: number, re: number[], im: number[], m: number, c: number, d: number, length: number): void {
  const at = (i: number): number => c * re[m + i] - d * im[m + i];
  for (let i = 0; i < 3; i++) out[k + i] += length * at(i);
  const x = at(3), y = at(4), z = at(5);
  const angle = Math.hypot(x, y, z);
  if (!(angle > 0)) return;
  const sine = Math.sin(angle / 2) / angle, w0 = Math.cos(angle / 2), x0 = sine * x, y0 = sine * y, z0 = sine * z;
  const w = out[k + 3], qx = out[k + 4], qy = out[k + 5], qz = out[k + 6];
  out[k + 3] = w0 * w - x0 * qx - y0 * qy - z0 * qz;
  out[k + 4] = w0 * qx + x0 * w + y0 * qz - z0 * qy;
  out[k + 5] = w0 * qy - x0 * qz + y0 * w + z0 * qx;
  out[k + 6] = w0 * qz + x0 * qy - y0 * qx + z0 * w;
}

/* Choose modes and the amplitude. */
export class ModesPanel {
  readonly element = h('div', { class: 'modes' });

  constructor(private readonly motion: ModalMotion, private readonly changed: () => void) {
    const boxes = motion.modes.list.map((_, i) => {
      const box = h('input', { type: 'checkbox', 'aria-label': `Mode ${i + 1}` });
      box.checked = motion.chosen[i];
      box.addEventListener('change', () => { motion.chosen[i] = box.checked; changed(); });
      return box;
    });
    const amplitude = h('input', { type: 'range', min: 0, max: 1, step: 0.01, value: motion.amplitude, 'aria-label': 'Amplitude' });
    amplitude.addEventListener('input', () => { motion.amplitude = Number(amplitude.value); changed(); });
    const rows = motion.modes.list.map((mode, i) => h('tr', {}, h('td', {}, h('label', {}, boxes[i], String(i + 1))),
      h('td', {}, h('button', { type: 'button', class: 'word', title: 'This mode alone', onclick: () => this.only(i, boxes) }, mode.frequency > 0 ? `${number(mode.frequency)} Hz` : `${number(mode.rate)} 1/s`)),
      h('td', { 'data-label': 'damping' }, number(mode.damping)), h('td', { class: 'parts' }, mode.parts.map(([share, part]) => `${Math.round(100 * share)} % ${part}`).join(', '))));
    const head = h('tr', {}, ...['mode', 'frequency, or rate', 'damping ratio', 'share of the kinetic energy'].map((text) => h('th', { scope: 'col' }, text)));
    this.element.append(h('section', { class: 'card' }, h('header', {}, h('h3', {}, 'Modes'), h('label', {}, 'Amplitude ', amplitude)),
      rows.length ? h('div', { class: 'wide' }, h('table', { class: 'grid' }, h('thead', {}, head), h('tbody', {}, ...rows)))
        : h('p', {}, 'There are no modes: nothing oscillates, grows or decays here.'),
      rows.length ? h('p', { class: 'dim' }, 'Ticked modes move together, each at its own pace. A click on a frequency shows that mode alone.') : null));
  }

  private only(i: number, boxes: HTMLInputElement[]): void {
    boxes.forEach((box, k) => { box.checked = k === i; this.motion.chosen[k] = k === i; });
    this.changed();
  }
}
