/* The motion of one series: where every body is at any time. Between two frames positions go straight and attitudes turn evenly:
 *   p = (1 - s) p0 + s p1,   q = (sin((1 - s) a) q0 + sin(s a) q1) / sin a,   cos a = |q0 . q1| */

import type { Blocks, Numbers, Series } from './data';

export class Motion {
  readonly time: Float64Array;
  readonly frames: number;
  private readonly poses: Numbers;

  constructor(readonly series: Series, blocks: Blocks, readonly bodies: number) {
    this.frames = series.frames;
    this.time = this.frames ? (blocks.get(series.time) as Float64Array) : new Float64Array(0);
    this.poses = this.frames && series.poses != null ? blocks.get(series.poses) : new Float32Array(0);
    if (this.frames && (this.time.length < this.frames || this.poses.length < this.frames * bodies * 7))
      throw new Error(`series ${series.name}: fewer poses than ${this.frames} frames of ${bodies} bodies`);
  }

  get start(): number {
    return this.frames ? this.time[0] : 0;
  }

  get end(): number {
    return this.frames ? this.time[this.frames - 1] : 0;
  }

  /* The last frame that is not later than t. */
  frameAt(t: number): number {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /* x, y, z, w, qx, qy, qz of every body at time t. */
  sample(t: number, out: Float64Array): void {
    if (!this.frames) return;
    const frame = this.frameAt(t);
    const next = Math.min(frame + 1, this.frames - 1);
    const span = this.time[next] - this.time[frame];
    const s = span > 0 ? Math.min(1, Math.max(0, (t - this.time[frame]) / span)) : 0;
    const width = this.bodies * 7;
    for (let k = 0; k < width; k += 7) blend(this.poses, frame * width + k, next * width + k, s, out, k);
  }

  /* The same at a frame, without looking for it. */
  frame(index: number, out: Float64Array): void {
    const width = this.bodies * 7;
    for (let k = 0; k < width; k++) out[k] = this.poses[index * width + k];
  }
}

function blend(poses: Numbers, a: number, b: number, s: number, out: Float64Array, k: number): void {
  if (s === 0) {
    for (let i = 0; i < 7; i++) out[k + i] = poses[a + i];
    return;
  }
  for (let i = 0; i < 3; i++) out[k + i] = (1 - s) * poses[a + i] + s * poses[b + i];
  let dot = 0;
  for (let i = 3; i < 7; i++) dot += poses[a + i] * poses[b + i];
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const sine = Math.sin(angle);
  const w0 = sine > 1e-6 ? Math.sin((1 - s) * angle) / sine : 1 - s;
  const w1 = sign * (sine > 1e-6 ? Math.sin(s * angle) / sine : s);
  for (let i = 3; i < 7; i++) out[k + i] = w0 * poses[a + i] + w1 * poses[b + i];
}

/* Twelve numbers a body, row by row: the rotation and where it is, less the origin of the scene. Body -1, the ground, stands last. */
export function placements(pose: Float64Array, bodies: number, origin: ArrayLike<number>, out: Float64Array): void {
  for (let i = 0; i < bodies; i++) {
    const k = 7 * i;
    const w = pose[k + 3], x = pose[k + 4], y = pose[k + 5], z = pose[k + 6];
    const o = 12 * i;
    out[o] = 1 - 2 * (y * y + z * z);
    out[o + 1] = 2 * (x * y - w * z);
    out[o + 2] = 2 * (x * z + w * y);
    out[o + 3] = pose[k] - origin[0];
    out[o + 4] = 2 * (x * y + w * z);
    out[o + 5] = 1 - 2 * (x * x + z * z);
    out[o + 6] = 2 * (y * z - w * x);
    out[o + 7] = pose[k + 1] - origin[1];
    out[o + 8] = 2 * (x * z - w * y);
    out[o + 9] = 2 * (y * z + w * x);
    out[o + 10] = 1 - 2 * (x * x + y * y);
    out[o + 11] = pose[k + 2] - origin[2];
  }
  const o = 12 * bodies;
  out.fill(0, o, o + 12);
  out[o] = out[o + 5] = out[o + 10] = 1;
  for (let i = 0; i < 3; i++) out[o + 4 * i + 3] = -origin[i];
}

/* A point of a body in the world (less the origin); body -1 is the ground. */
export function transform(places: Float64Array, body: number, bodies: number, at: ArrayLike<number>, out: { x: number; y: number; z: number }): void {
  const o = 12 * (body < 0 ? bodies : body);
  out.x = places[o] * at[0] + places[o + 1] * at[1] + places[o + 2] * at[2] + places[o + 3];
  out.y = places[o + 4] * at[0] + places[o + 5] * at[1] + places[o + 6] * at[2] + places[o + 7];
  out.z = places[o + 8] * at[0] + places[o + 9] * at[1] + places[o + 10] * at[2] + places[o + 11];
}
