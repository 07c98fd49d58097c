/* Names over the scene, as text of the page. */

import { Vector3 } from 'three';
import { h } from './dom';
import type { Mechanism } from './mechanism';
import type { Stage } from './stage';

const MOST = 150;

/* Names keep this far from one another, pixels. */
const GAP = 2;

interface Box { x: number; y: number; w: number; h: number }

const meet = (a: Box, b: Box) => a.x < b.x + b.w + GAP && b.x < a.x + a.w + GAP && a.y < b.y + b.h + GAP && b.y < a.y + a.h + GAP;

/* Where a name may stand beside its point, in steps of its height, the usual place first. */
const STEPS = [0, -1, 1, -2, 2, -3, 3];

export class Labels {
  readonly element = h('div', { class: 'labels', 'aria-hidden': 'true' });
  private readonly items: { element: HTMLElement; body: number; at: ArrayLike<number>; left: number; top: number; w: number; h: number }[] = [];
  private readonly taken: Box[] = [];
  private readonly p = new Vector3();
  private readonly q = { x: 0, y: 0 };
  visible = false;

  constructor(mechanism: Mechanism) {
    const { scene } = mechanism;
    for (const [i, body] of scene.bodies.entries()) this.add(body.name, 'body', i, body.center);
    for (const joint of scene.joints) {
      const side = joint.sides[1] ?? joint.sides[0];
      if (side) this.add(joint.name, 'joint', side.body, side.at);
    }
    for (const force of scene.forces) if (force.ends.length === 2) this.add(force.name, 'force', force.ends[0].body, force.ends[0].at);
  }

  private add(name: string, kind: string, body: number, at: ArrayLike<number>): void {
    if (this.items.length >= MOST || !name) return;
    const element = h('span', { class: `label ${kind}` }, name);
    this.element.append(element);
    this.items.push({ element, body, at, left: 0, top: 0, w: 0, h: 0 });
  }

  /* The first free place near the point; null where there is none: the name is not shown then. */
  private place(item: { left: number; top: number; w: number; h: number }, width: number, height: number): Box | null {
    const right = this.q.x + item.left, x = right + item.w <= width ? right : this.q.x - item.left - item.w;      // to the left of its point where it would be cut off
    for (const step of STEPS) {
      const box = { x, y: this.q.y + item.top + step * (item.h + GAP), w: item.w, h: item.h };
      if (box.y + box.h > height || this.taken.some((other) => meet(other, box))) continue;
      this.taken.push(box);
      return box;
    }
    return null;
  }

  update(stage: Stage, mechanism: Mechanism): void {
    this.element.hidden = !this.visible;
    if (!this.visible) return;
    this.taken.length = 0;
    for (const item of this.items) {
      if (!item.w) Object.assign(item, { left: item.element.offsetLeft, top: item.element.offsetTop, w: item.element.offsetWidth, h: item.element.offsetHeight });
      const seen = stage.project(mechanism.locate(item.body, item.at, this.p), this.q) ? this.place(item, stage.canvas.clientWidth, stage.canvas.clientHeight) : null;
      item.element.style.visibility = seen ? 'visible' : 'hidden';
      if (seen) item.element.style.transform = `translate(${(seen.x - item.left).toFixed(1)}px, ${(seen.y - item.top).toFixed(1)}px)`;
    }
  }
}
