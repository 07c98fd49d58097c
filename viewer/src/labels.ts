/* Names over the scene, as text of the page. */

import { Vector3 } from 'three';
import { h } from './dom';
import type { Mechanism } from './mechanism';
import type { Stage } from './stage';

const MOST = 150;

export class Labels {
  readonly element = h('div', { class: 'labels', 'aria-hidden': 'true' });
  private readonly items: { element: HTMLElement; body: number; at: ArrayLike<number> }[] = [];
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
    this.items.push({ element, body, at });
  }

  update(stage: Stage, mechanism: Mechanism): void {
    this.element.hidden = !this.visible;
    if (!this.visible) return;
    for (const item of this.items) {
      const seen = stage.project(mechanism.locate(item.body, item.at, this.p), this.q);
      item.element.style.visibility = seen ? 'visible' : 'hidden';
      if (seen) item.element.style.transform = `translate(${this.q.x.toFixed(1)}px, ${this.q.y.toFixed(1)}px)`;
    }
  }
}
