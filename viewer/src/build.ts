/* What the makers of shapes, joints and springs know while a mechanism is built. */

import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Blocks, Scene, Side } from './data';
import type { Extent } from './extent';
import type { Motion } from './motion';
import { BODIES, pick } from './palette';
import type { Parts } from './parts';

export interface Build {
  scene: Scene;
  blocks: Blocks;
  extent: Extent;
  motion: Motion;
  parts: Parts;
  planar: boolean;
  up: Vector3;
  level: number[];       // planar: height of the middle of each body over the plane, so that bars pass over each other
  thickness: number;     // planar: of a bar
  stack: number;         // planar: half of all levels together
  front: number;         // planar: where pins, motors and marks are seen, in front of shapes too
  tint: string | null;   // one colour for all bodies: comparisons
  statics: boolean;      // whether the ground is drawn too
  feet: Vector3[];       // where it has been drawn already
}

export function upOf(scene: Scene): Vector3 {
  const up = new Vector3(...scene.gravity).negate();
  if (up.length() > 0) return up.normalize();
  return scene.space === 'planar' ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
}

/* Neighbours on different levels, as few levels as a first come, first served order gives. */
export function levels(scene: Scene): number[] {
  const level: number[] = [];
  scene.bodies.forEach((_, i) => {
    const taken = new Set<number>();
    for (const joint of scene.joints) {
      const [a, b] = [joint.sides[0]?.body, joint.sides[1]?.body];
      if (a === i && b !== undefined && b >= 0 && b < i) taken.add(level[b]);
      if (b === i && a !== undefined && a >= 0 && a < i) taken.add(level[a]);
    }
    let free = 0;
    while (taken.has(free)) free++;
    level.push(free);
  });
  return level;
}

export function colorOf(build: Build, body: number): string {
  return build.tint ?? build.scene.view?.colors[body] ?? pick(BODIES, body);
}

export function lift(build: Build, body: number): number {
  return build.planar && body >= 0 ? build.level[body] : 0;
}

/* Where a side stands, and its axis: x, y or z of the joint's frame. */
export function axisOf(side: Side, letter: string): Vector3 {
  const k = 3 * Math.max(0, 'xyz'.indexOf(letter.toLowerCase()));
  const a = side.axes ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const v = new Vector3(a[k], a[k + 1], a[k + 2]);
  return v.length() > 0 ? v.normalize() : new Vector3(0, 0, 1);
}

export function turnTo(x: Vector3, near: Vector3): Quaternion {
  const z = near.clone().addScaledVector(x, -near.dot(x));
  if (z.length() < 1e-6) z.set(x.z, x.x, x.y).addScaledVector(x, -(x.z * x.x + x.x * x.y + x.y * x.z));
  z.normalize();
  return new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, new Vector3().crossVectors(z, x), z));
}
