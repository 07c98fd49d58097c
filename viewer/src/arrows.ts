/* Vectors at moving points: reactions at the joints, velocities of the bodies. The longest of the whole run is a third of the mechanism;
 * the slider of the view multiplies that. */

import { Color, DynamicDrawUsage, Group, InstancedMesh, type Material, Quaternion, Sphere, Vector3 } from 'three';
import type { Blocks, End } from './data';
import type { Extent } from './extent';
import { type Motion, transform } from './motion';
import { geometry } from './parts';

const EVERYWHERE = new Sphere(new Vector3(), Infinity);
const Z = new Vector3(0, 0, 1);

export class Arrows {
  readonly group = new Group();
  readonly most: number;
  factor = 1;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly values: ArrayLike<number>;
  private readonly foot = new Vector3();
  private readonly v = new Vector3();
  private readonly turn = new Quaternion();
  private readonly x = new Vector3();
  private readonly y = new Vector3();

  /* `stride` numbers a frame and arrow, of which the first three are the vector. */
  constructor(blocks: Blocks, block: number, private readonly stride: number, private readonly feet: End[], private readonly bodies: number,
              private readonly extent: Extent, private readonly raise: number, material: Material, color: string) {
    this.values = blocks.get(block);
    this.shafts = this.make('cylinder', material, color);
    this.heads = this.make('cone', material, color);
    let most = 0;
    for (let i = 0; i + 2 < this.values.length; i += stride) {
      const size = Math.hypot(this.values[i], this.values[i + 1], this.values[i + 2]);
      if (Number.isFinite(size)) most = Math.max(most, size);
    }
    this.most = most;
    this.group.visible = false;
  }

  private make(kind: 'cylinder' | 'cone', material: Material, color: string): InstancedMesh {
    const mesh = new InstancedMesh(geometry(kind, this.feet.length), material, this.feet.length);
    mesh.frustumCulled = false;
    mesh.boundingSphere = EVERYWHERE;
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.renderOrder = 2;
    const c = new Color(color);
    for (let i = 0; i < this.feet.length; i++) mesh.setColorAt(i, c);
    this.group.add(mesh);
    return mesh;
  }

  /* Metres of the drawing a unit of the vector. */
  get scale(): number {
    return this.most > 0 ? (this.factor * this.extent.size) / 3 / this.most : 0;
  }

  update(motion: Motion, t: number, places: Float64Array): void {
    if (!this.group.visible || !this.feet.length) return;
    const frame = motion.frameAt(t);
    const next = Math.min(frame + 1, motion.frames - 1);
    const span = motion.time[next] - motion.time[frame];
    const s = span > 0 ? Math.min(1, Math.max(0, (t - motion.time[frame]) / span)) : 0;
    const width = this.feet.length * this.stride;
    const scale = this.scale;
    for (let i = 0; i < this.feet.length; i++) {
      const a = frame * width + i * this.stride, b = next * width + i * this.stride;
      const v = this.values;
      this.v.set((1 - s) * v[a] + s * v[b], (1 - s) * v[a + 1] + s * v[b + 1], (1 - s) * v[a + 2] + s * v[b + 2]).multiplyScalar(scale);
      if (!Number.isFinite(this.v.x + this.v.y + this.v.z)) this.v.set(0, 0, 0);
      transform(places, this.feet[i].body, this.bodies, this.feet[i].at, this.foot);
      this.foot.z += this.raise;
      this.draw(i);
    }
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }

  /* The head is as long as it is at most, or half of a short arrow. */
  private draw(i: number): void {
    const u = this.extent.unit;
    const length = this.v.length();
    const tip = Math.min(2.6 * u, 0.5 * length);
    const width = length > 0.02 * u ? Math.min(1, tip / (1.3 * u)) : 0;
    if (length > 0) this.v.divideScalar(length);
    this.turn.setFromUnitVectors(Z, length > 0 ? this.v : Z);
    this.put(this.shafts, i, 0.32 * u * width, length - tip, (length - tip) / 2);
    this.put(this.heads, i, 0.9 * u * width, tip, length - tip);
  }

  private put(mesh: InstancedMesh, i: number, radius: number, length: number, at: number): void {
    const out = mesh.instanceMatrix.array as Float32Array;
    const k = 16 * i;
    this.x.set(radius, 0, 0).applyQuaternion(this.turn).toArray(out, k);
    this.y.set(0, radius, 0).applyQuaternion(this.turn).toArray(out, k + 4);
    out[k + 8] = this.v.x * length; out[k + 9] = this.v.y * length; out[k + 10] = this.v.z * length;
    out[k + 12] = this.foot.x + this.v.x * at; out[k + 13] = this.foot.y + this.v.y * at; out[k + 14] = this.foot.z + this.v.z * at;
    out[k + 3] = out[k + 7] = out[k + 11] = 0;
    out[k + 15] = 1;
  }
}
