/* How large things are: from this follow the origin of the scene, the thickness of bars and what the camera looks at. */

import { Quaternion, Vector3 } from 'three';
import { axisOf } from './build';
import type { Blocks, Body, Scene, Shape, Side, Vector } from './data';
import { type Motion, placements, transform } from './motion';

export interface Extent {
  origin: Vector;      // middle of the whole motion; the scene is drawn about it
  low: Vector;         // corners, less the origin
  high: Vector;
  size: number;        // diagonal of the mechanism: the largest at any instant
  path: number;        // diagonal of all places it visits
  unit: number;        // half the width of a bar
  wheel: number;       // largest radius of a wheel that stands for a body without shape
  cloud: Float32Array; // points that it visits, less the origin: x, y, z, ...; what the camera has to show
  reach: number[];     // of each body: how far it goes from its centre
  roams: boolean;      // it travels far beyond its own size: the camera goes with it
}

export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function distinct(points: Vector[], tolerance: number): Vector[] {
  const kept: Vector[] = [];
  for (const p of points) if (p.every(Number.isFinite) && !kept.some((q) => distance(p, q) <= tolerance)) kept.push(p);
  return kept;
}

/* Points of a body to which something is attached, or which have a name. */
export function attached(scene: Scene, body: number): Vector[] {
  const points: Vector[] = [];
  for (const joint of scene.joints) for (const side of joint.sides) if (side.body === body) points.push(side.at);
  for (const force of scene.forces) for (const end of force.ends) if (end.body === body) points.push(end.at);
  for (const point of body < 0 ? [] : scene.bodies[body].points) points.push(point.at);
  let span = 0;
  for (const p of points) for (const q of points.slice(0, 40)) span = Math.max(span, distance(p, q));
  return distinct(points, 1e-6 * span);
}

/* Eigenvectors of a symmetric matrix by Jacobi's rotations; columns of the result. */
function principal(matrix: number[][]): { values: Vector; axes: number[][] } {
  const a = matrix.map((row) => row.slice());
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; sweep++)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-14 * (Math.abs(a[p][p]) + Math.abs(a[q][q]))) continue;
      const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]);
      const c = Math.cos(angle), s = Math.sin(angle);
      for (const m of [a, v])
        for (let k = 0; k < 3; k++) {
          const x = m[k][p], y = m[k][q];
          m[k][p] = c * x - s * y;
          m[k][q] = s * x + c * y;
        }
      for (let k = 0; k < 3; k++) {
        const x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
      }
    }
  return { values: [a[0][0], a[1][1], a[2][2]], axes: v };
}

export interface InertiaBox { size: Vector; axes: number[][] }

/* The even box of the same mass and inertia: a^2 = 6 (Iyy + Izz - Ixx) / m. In the plane the square, a^2 = 6 I / m. */
export function inertiaBox(body: Body, planar: boolean): InertiaBox | null {
  const { mass, inertia } = body;
  if (!mass || mass <= 0 || !inertia || inertia.length < 6 || !inertia.every(Number.isFinite)) return null;
  const [xx, yy, zz, xy, xz, yz] = inertia;
  if (planar) {
    const a = Math.sqrt(Math.max(0, (6 * zz) / mass));
    return a > 0 ? { size: [a, a, 0], axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] } : null;
  }
  const { values, axes } = principal([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
  const sum = values[0] + values[1] + values[2];
  const size = values.map((value) => Math.sqrt(Math.max(0, (6 * (sum - 2 * value)) / mass))) as Vector;
  return Math.max(...size) > 0 ? { size, axes } : null;
}

/* Are bodies joined to one another? Then a body is seen by its joints, and the box of its inertia would hide them. */
export function isMachine(scene: Scene): boolean {
  return scene.joints.some((joint) => joint.sides.length === 2);
}

const eight = (h: number[]) => [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x * h[0], y * h[1], z * h[2]])));
const rings = (r: number, h: number) => Array.from({ length: 8 }, (_, k) => (k * Math.PI) / 4).flatMap((a) => [-h, h].map((z) => [r * Math.cos(a), r * Math.sin(a), z]));

/* Of many points those that are farthest in one of 24 directions of a plane, or along an axis. */
function spread<P extends number[]>(points: P[]): P[] {
  if (points.length <= 24) return points;
  const directions = [...Array.from({ length: 24 }, (_, k) => [Math.cos((k * Math.PI) / 12), Math.sin((k * Math.PI) / 12), 0]), [0, 0, 1], [0, 0, -1]];
  const far = (d: number[]) => points.reduce((best, p) => (dot(p, d) > dot(best, d) ? p : best));
  return [...new Set(directions.map(far))];
}

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, x, k) => sum + x * b[k], 0);
}

/* Points of a shape, in the axes of its body. */
function corners(shape: Shape, points: number[][]): Vector[] {
  const [w, x, y, z] = shape.quaternion ?? [1, 0, 0, 0], at = new Vector3(...(shape.at ?? [0, 0, 0])), turn = new Quaternion(x, y, z, w);
  return points.map((p) => new Vector3(p[0], p[1], p[2] ?? 0).applyQuaternion(turn).add(at).toArray());
}

const ball = (c: Vector, r: number, flat = false): Vector[] =>
  [0, 1, 2].flatMap((k) => [-r, r].map((s) => c.map((x, i) => (i === k && !(k === 2 && flat) ? x + s : x)) as Vector));

/* What a shape occupies, as points. */
function occupied(shape: Shape, blocks: Blocks, planar: boolean): Vector[] {
  const r = shape.radius ?? 0, half = (shape.length ?? 0) / 2, flat = (shape.thickness ?? 0) / 2, at = shape.at ?? [0, 0, 0];
  if (shape.kind === 'sphere') return ball(at, r, planar);
  if (shape.kind === 'mesh') return ball(at, shape.vertices != null ? reachOf(blocks.get(shape.vertices)) : 0, planar);
  return corners(shape,
    shape.kind === 'box' ? eight((shape.size ?? [0, 0, 0]).map((x) => x / 2))
    : shape.kind === 'cylinder' ? rings(r, half)
    : shape.kind === 'capsule' ? rings(r, half + r)
    : shape.kind === 'plate' ? spread(shape.outline ?? []).flatMap((p) => [[p[0], p[1], -flat], [p[0], p[1], flat]])
    : spread(shape.points ?? []));
}

/* How far shapes of a planar model reach towards the reader. */
export function depth(scene: Scene): number {
  const half = (s: Shape) => (s.kind === 'box' ? (s.size?.[2] ?? 0) / 2 : s.kind === 'plate' ? (s.thickness ?? 0) / 2 : s.kind === 'cylinder' ? (s.length ?? 0) / 2 : s.kind === 'mesh' ? 0 : s.radius ?? 0);
  return Math.max(0, ...scene.bodies.flatMap((body) => body.shapes.map((s) => (s.at?.[2] ?? 0) + half(s))).filter(Number.isFinite));
}

/* A body that hangs on one point, as a rod of its inertia: the far end of it. Null: it is no rod of this length. */
export function rodEnd(body: Body, planar: boolean, at: Vector3, center: Vector3): Vector3 | null {
  const arm = center.clone().sub(at), length = arm.length(), box = inertiaBox(body, planar);
  const rod = box ? Math.SQRT2 * Math.max(...box.size) * (planar ? 1 : Math.SQRT1_2) : 0;
  const slender = !box || planar || [...box.size].sort((p, q) => p - q)[1] < 0.4 * rod;
  return length > 0 && slender && rod / 2 <= 1.2 * length ? center.clone().addScaledVector(arm, rod / 2 / length) : null;
}

/* What a body occupies in its own axes, as points: for boxes about it. */
function outline(scene: Scene, index: number, blocks: Blocks): Vector[] {
  const body = scene.bodies[index], planar = scene.space === 'planar';
  const points = [...attached(scene, index), body.center, ...body.shapes.flatMap((shape) => occupied(shape, blocks, planar))];
  const around = (c: Vector, r: number) => points.push(...ball(c, r, planar));
  const held = attached(scene, index), tip = held.length === 1 && !body.shapes.length && !body.particle ? rodEnd(body, planar, new Vector3(...held[0]), new Vector3(...body.center)) : null;
  if (tip) points.push(tip.toArray());
  for (const joint of scene.joints) if (joint.radius && joint.sides[1]?.body === index) around(joint.sides[1].at, joint.radius);
  const alone = points.length <= 2 || (scene.space === 'spatial' && points.length >= 5);
  if (!body.shapes.length && alone && !body.particle && !isMachine(scene)) {
    const box = inertiaBox(body, planar);
    if (box) around(body.center, Math.max(...box.size) / 2);
  }
  return points;
}

const DRAWN_BY_JOINT = ['prismatic', 'planar', 'screw', 'pin-in-slot', 'rolling-disc', 'rolling-wheel', 'rolling-ball'];

export function drawnByJoint(scene: Scene, index: number): boolean {
  return scene.joints.some((joint) => DRAWN_BY_JOINT.includes(joint.type) && joint.sides.some((side, k) => side.body === index && (k === 1 || !joint.type.startsWith('rolling'))));
}

function momentAbout(i: number[], a: Vector3): number {
  return i[0] * a.x * a.x + i[1] * a.y * a.y + i[2] * a.z * a.z + 2 * (i[3] * a.x * a.y + i[4] * a.x * a.z + i[5] * a.y * a.z);
}

/* The radius of the wheel that has the inertia of a body about an axis, I = m r^2 / 2; 0 where it has none. */
export function axleRadius(scene: Scene, index: number, axis: Vector3): number {
  const { mass, inertia } = scene.bodies[index] ?? {};
  return mass && inertia ? Math.sqrt(Math.max(0, (2 * momentAbout(inertia, axis)) / mass)) : 0;
}

/* A body on an axle that no joint draws: the wheel of its inertia. */
export function axleWheel(scene: Scene, index: number): { side: Side; axis: Vector3; radius: number } | null {
  if (drawnByJoint(scene, index)) return null;
  const own = scene.joints.flatMap((joint) => joint.sides.filter((side) => side.body === index).map((side) => ({ joint, side })));
  const axle = own.find(({ joint }) => joint.type === 'revolute' || joint.type === 'cylindrical');
  if (!axle) return null;
  const axis = axisOf(axle.side, /R([xyz])/.exec(axle.joint.motion)?.[1] ?? 'z');
  return { side: axle.side, axis, radius: axleRadius(scene, index, axis) };
}

function reachOf(numbers: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i + 2 < numbers.length; i += 3) most = Math.max(most, Math.hypot(numbers[i], numbers[i + 1], numbers[i + 2]));
  return most;
}

/* Points on the rim of a wheel that stands for a body, as shapes.ts draws it. */
function rim(scene: Scene, index: number, unit: number, most: number): Vector[] {
  const body = scene.bodies[index], points = attached(scene, index);
  if (body.shapes.length || body.particle || points.some((at) => distance(at, body.center) > 0.5 * unit)) return [];
  const wheel = axleWheel(scene, index);
  if (!wheel) return [];
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), wheel.axis);
  return corners({ kind: 'cylinder', at: wheel.side.at, quaternion: [turn.w, turn.x, turn.y, turn.z], color: null }, rings(Math.min(wheel.radius, most), 0));
}

/* Half the width of bars: a share of the usual link, within a share of the whole. */
function barWidth(scene: Scene, size: number): number {
  const links: number[] = [];
  scene.bodies.forEach((body, i) => {
    const points = [...attached(scene, i), body.center];
    let longest = 0;
    for (const p of points) for (const q of points) longest = Math.max(longest, distance(p, q));
    if (longest > 1e-9 * size) links.push(longest);
  });
  for (const joint of scene.joints) if (joint.type === 'rack-and-pinion' && joint.radius) links.push(2 * Math.abs(joint.radius));
  links.sort((a, b) => a - b);
  const usual = links.length ? links[links.length >> 1] : size;
  return Math.min(0.022 * size, Math.max(0.0045 * size, 0.05 * usual));
}

const WHEEL = 0.35; // of the size of everything else

export function measure(scene: Scene, motions: Motion[], blocks: Blocks): Extent {
  const outlines = scene.bodies.map((_, i) => outline(scene, i, blocks)), fixed = attached(scene, -1);
  const bare = survey(scene, motions, outlines, fixed);
  const rims = scene.bodies.map((_, i) => rim(scene, i, bare.unit, WHEEL * bare.size));
  const still = scene.ground.shapes.map((shape) => occupied(shape, blocks, scene.space === 'planar')).filter((points) => across(points) < 2 * bare.size); // a floor is larger, and not looked at
  const more = still.length > 0 || rims.some((points) => points.length);
  const whole = more ? survey(scene, motions, outlines.map((points, i) => [...points, ...rims[i]]), [...fixed, ...still.flat()]) : bare;
  return { ...whole, unit: bare.unit, wheel: WHEEL * bare.size };
}

/* The diagonal of the box about points. */
function across(points: Vector[]): number {
  return Math.hypot(...[0, 1, 2].map((k) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k]))));
}

function survey(scene: Scene, motions: Motion[], outlines: Vector[][], fixed: Vector[]): Extent {
  const n = scene.bodies.length;
  const pose = new Float64Array(7 * n);
  const places = new Float64Array(12 * (n + 1));
  const p = { x: 0, y: 0, z: 0 };
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  let size = 0;
  const nowLow = [0, 0, 0], nowHigh = [0, 0, 0], cloud: number[] = [];
  const take = (lo: number[], hi: number[], x: number, y: number, z: number) => {
    if (!(Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z))) return;
    lo[0] = Math.min(lo[0], x); lo[1] = Math.min(lo[1], y); lo[2] = Math.min(lo[2], z);
    hi[0] = Math.max(hi[0], x); hi[1] = Math.max(hi[1], y); hi[2] = Math.max(hi[2], z);
  };
  for (const motion of motions) {
    const count = Math.min(motion.frames, Math.max(20, Math.min(300, Math.floor(60000 / (n + 1)))));
    const some = Math.ceil(count / Math.max(2, Math.floor(20000 / (1 + outlines.reduce((sum, points) => sum + points.length, 0) * motions.length)))); // frames between those of the cloud
    for (let i = 0; i < count; i++) {
      motion.frame(count > 1 ? Math.round((i * (motion.frames - 1)) / (count - 1)) : 0, pose);
      placements(pose, n, [0, 0, 0], places);
      nowLow.fill(Infinity);
      nowHigh.fill(-Infinity);
      outlines.forEach((points, body) => {
        for (const at of points) {
          transform(places, body, n, at, p);
          take(nowLow, nowHigh, p.x, p.y, p.z);
          if ((i % some === 0 || i === count - 1) && Number.isFinite(p.x + p.y + p.z)) cloud.push(p.x, p.y, p.z);
        }
      });
      take(low, high, nowLow[0], nowLow[1], nowLow[2]);
      take(low, high, nowHigh[0], nowHigh[1], nowHigh[2]);
      const diagonal = distance(nowLow, nowHigh);
      if (Number.isFinite(diagonal)) size = Math.max(size, diagonal);
    }
  }
  const alone = size;
  for (const at of fixed) {
    take(low, high, at[0], at[1], at[2]);
    if (at.every(Number.isFinite)) cloud.push(...at);
  }
  if (!Number.isFinite(low[0])) { low.fill(-0.5); high.fill(0.5); }
  let path = distance(low, high);
  if (path <= 0) { path = 1; for (let k = 0; k < 3; k++) { low[k] -= 0.3; high[k] += 0.3; } }
  const roams = alone > 0 && path > 8 * alone;
  const whole = roams ? alone : Math.max(size, (alone > 0.05 * path ? 0.25 : 0.6) * path);
  const origin = low.map((x, k) => (x + high[k]) / 2) as Vector;
  return {
    origin,
    low: low.map((x, k) => x - origin[k]) as Vector,
    high: high.map((x, k) => x - origin[k]) as Vector,
    size: whole,
    path,
    unit: barWidth(scene, whole),
    wheel: 0,
    reach: outlines.map((points, i) => Math.max(0, ...points.map((at) => distance(at, scene.bodies[i].center)).filter(Number.isFinite))),
    cloud: Float32Array.from(cloud, (x, i) => x - origin[i % 3]),
    roams,
  };
}
