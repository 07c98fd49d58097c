/* The path of a point: all of it faint, what has been passed in full colour. */

import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from 'three';
import type { Vector } from './data';
import { type Motion, placements, transform } from './motion';

const MOST = 6000;

export class Trace {
  readonly group = new Group();
  private readonly passed: Line;
  private readonly times: Float64Array;

  constructor(motion: Motion, readonly body: number, readonly at: Vector, readonly label: string, readonly color: string, origin: Vector, raise: number) {
    const n = motion.bodies;
    const count = Math.min(motion.frames, MOST);
    const pose = new Float64Array(7 * n), places = new Float64Array(12 * (n + 1));
    const points = new Float32Array(3 * count);
    this.times = new Float64Array(count);
    const p = { x: 0, y: 0, z: 0 };
    for (let i = 0; i < count; i++) {
      const frame = count > 1 ? Math.round((i * (motion.frames - 1)) / (count - 1)) : 0;
      motion.frame(frame, pose);
      placements(pose, n, origin, places);
      transform(places, body, n, at, p);
      points.set([p.x, p.y, p.z + raise], 3 * i);
      this.times[i] = motion.time[frame];
    }
    const position = new BufferAttribute(points, 3);
    const whole = new Line(new BufferGeometry().setAttribute('position', position), new LineBasicMaterial({ color, transparent: true, opacity: 0.35 }));
    this.passed = new Line(new BufferGeometry().setAttribute('position', position), new LineBasicMaterial({ color }));
    for (const line of [whole, this.passed]) {
      line.frustumCulled = false;
      this.group.add(line);
    }
  }

  update(t: number): void {
    let low = 0, high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t) low = middle + 1;
      else high = middle;
    }
    this.passed.geometry.setDrawRange(0, low);
  }
}
