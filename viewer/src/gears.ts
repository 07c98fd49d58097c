/* Gears, racks and belts. They have no points of their own; they are drawn where the joints are that they name, as shapes of bodies that have none, before
 * anything is measured.
 *
 * Gears whose axes are parallel roll on one another: with the distance d of the axes and i = |ratio of their angles| = r1/r2
 *   r1 = d i / (1 + i),     r2 = d / (1 + i)         in opposite directions: external teeth
 *   r1 = d i / |1 - i|,     r2 = d / |1 - i|         in the same direction: the larger one is a ring with teeth inside, or a belt goes around both
 * Directions are those against the body that both joints have in common: the arm of a planetary train, the ground of a gearbox. */

import { Quaternion, Vector3 } from 'three';
import { axisOf, turnTo } from './build';
import type { Joint, Scene, Shape, Side, Vector } from './data';
import { axleRadius } from './extent';
import { type Motion, placements, transform } from './motion';
import { STEEL } from './palette';

const Z = new Vector3(0, 0, 1);
const THICKNESS = 0.3;      // of the smallest radius: in the plane wheels stand in front of the bars that carry them
const MOST_TEETH = 160, USUAL_TEETH = 18;

/* Where the bodies are at a frame. */
class Places {
  private readonly places: Float64Array;
  private readonly pose: Float64Array;
  private readonly n: number;

  constructor(scene: Scene, private readonly motion: Motion) {
    this.n = scene.bodies.length;
    this.pose = new Float64Array(7 * this.n);
    this.places = new Float64Array(12 * (this.n + 1));
    this.go(0);
  }

  go(frame: number): void {
    this.motion.frame(frame, this.pose);
    placements(this.pose, this.n, [0, 0, 0], this.places);
  }

  point(body: number, at: Vector3): Vector3 {
    const out = new Vector3();
    transform(this.places, body, this.n, at.toArray(), out);
    return out;
  }

  direction(body: number, d: Vector3): Vector3 {
    return this.point(body, d).sub(this.point(body, new Vector3()));
  }

  /* Into the axes of a body. */
  inside(body: number, d: Vector3): Vector3 {
    const axes = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), Z].map((e) => this.direction(body, e));
    return new Vector3(d.dot(axes[0]), d.dot(axes[1]), d.dot(axes[2]));
  }
}

/* The turning side of a joint; its place and axis as they are at the start. sign: of the joint's angle, as a turn of this side against the other. */
interface Axle { body: number; at: Vector3; axis: Vector3; place: Vector3; line: Vector3; sign: number }

export const letterOf = (joint: Joint, kind: string) => new RegExp(`${kind}([xyz])`).exec(joint.motion)?.[1] ?? 'z';
export const rider = (joint: Joint): Side => (joint.sides[1].body >= 0 ? joint.sides[1] : joint.sides[0]);

/* `arm`: the body against which the joint turns, where that is known. */
function axleOf(scene: Scene, start: Places, joint: Joint | undefined, arm?: number): Axle | null {
  if (!joint || joint.sides.length < 2) return null;
  const side = arm === undefined ? rider(joint) : joint.sides.find((s) => s.body !== arm)!;
  if (side.body < 0 && arm === undefined) return null;
  const at = new Vector3(...side.at), axis = scene.space === 'planar' ? Z.clone() : axisOf(side, letterOf(joint, 'R'));
  return { body: side.body, at, axis, place: start.point(side.body, at), line: start.direction(side.body, axis), sign: side === joint.sides[1] ? 1 : -1 };
}

/* The one body that both joints have: against it the wheels turn. */
function commonBody(a: Joint | undefined, b: Joint | undefined): number | undefined {
  const shared = (a?.sides ?? []).map((s) => s.body).filter((body) => b?.sides.some((s) => s.body === body));
  return shared.length === 1 ? shared[0] : undefined;
}

const shapeAt = (kind: Shape['kind'], at: Vector3, turn: Quaternion, rest: Partial<Shape>): Shape =>
  ({ kind, at: [at.x, at.y, at.z], quaternion: [turn.w, turn.x, turn.y, turn.z], color: null, ...rest });

/* Two wheels that roll on one another. `way`: from the first to the second, or, where the axes do not say it, nothing. */
interface Mesh { ends: [Axle, Axle]; radii: [number, number]; ring: number; belt: boolean; way: Vector3 | null; arm: number | undefined }

/* mark: where a tooth stands, or in a ring a gap: a direction in the axes of the body. level: wheels of several sizes on one axle lie side by side. */
interface Wheel { axle: Axle; radius: number; ring: boolean; teeth: number; mark: Vector3; level: number }

function meshOf(scene: Scene, joint: Joint, start: Places): Mesh | null {
  const [first, second] = (joint.joints ?? []).map((k) => scene.joints[k]), arm = commonBody(first, second);
  const a = axleOf(scene, start, first, arm), b = axleOf(scene, start, second, arm);
  const ratio = joint.ratio ?? 1, i = Math.abs(ratio);
  if (!a || !b || !(i > 1e-3 && i < 1e3)) return null;
  const parallel = Math.abs(a.line.dot(b.line)) > 0.999;
  const between = b.place.clone().sub(a.place), whole = between.length();
  if (!(whole > 0)) return null;      // on one axis: nothing says how large they are
  between.addScaledVector(a.line, -between.dot(a.line));
  const d = between.length();
  if (!parallel || d <= 1e-6 * whole) return { ends: [a, b], radii: [(0.6 * whole * i) / (1 + i), (0.6 * whole) / (1 + i)], ring: -1, belt: false, way: null, arm };
  const way = between.divideScalar(d);
  const external = (sum = d): [number, number] => [(sum * i) / (1 + i), sum / (1 + i)];
  if (ratio * a.sign * b.sign * Math.sign(a.line.dot(b.line)) < 0) return { ends: [a, b], radii: external(), ring: -1, belt: false, way, arm };
  const ring = i > 1 ? 0 : 1;
  const surrounds = arm !== undefined && arm >= 0 ? true : axleRadius(scene, [a, b][ring].body, [a, b][ring].axis) > d;
  if (surrounds && Math.abs(1 - i) > 0.05) return { ends: [a, b], radii: [(d * i) / Math.abs(1 - i), d / Math.abs(1 - i)], ring, belt: false, way: i > 1 ? way : way.negate(), arm };
  return { ends: [a, b], radii: external(0.7 * d), ring: -1, belt: true, way, arm };
}

/* Meshes that share bodies: a train, with teeth of one size. */
function trains(meshes: Mesh[]): Mesh[][] {
  const found: { bodies: Set<number>; meshes: Mesh[] }[] = [];
  for (const mesh of meshes) {
    const bodies = mesh.ends.map((end) => end.body), mine = found.filter((train) => bodies.some((body) => train.bodies.has(body)));
    const all = { bodies: new Set([...bodies, ...mine.flatMap((train) => [...train.bodies])]), meshes: [...mine.flatMap((train) => train.meshes), mesh] };
    for (const train of mine) found.splice(found.indexOf(train), 1);
    found.push(all);
  }
  return found.map((train) => train.meshes);
}

/* Teeth of the smallest wheel: a number near 18 for which the others have whole numbers too. */
function fewestTeeth(radii: number[]): number {
  const least = Math.min(...radii), most = Math.max(...radii);
  const cost = (z: number) => radii.reduce((sum, r) => sum + Math.abs((z * r) / least - Math.round((z * r) / least)), 0.002 * Math.abs(z - USUAL_TEETH));
  const wanted = Array.from({ length: 13 }, (_, k) => USUAL_TEETH - 6 + k).filter((z) => (z * most) / least <= MOST_TEETH);
  return wanted.length ? wanted.reduce((best, z) => (cost(z) < cost(best) ? z : best)) : Math.max(6, Math.floor((MOST_TEETH * least) / most));
}

type Flank = [number, number][];      // parts of a pitch, and modules above the pitch circle
const TOOTH: Flank = [[-0.33, -1.1], [-0.16, 0.9], [0.16, 0.9], [0.33, -1.1]];
const GAP: Flank = [[-0.34, -0.9], [-0.17, 1.1], [0.17, 1.1], [0.34, -0.9]];

function teethAround(radius: number, teeth: number, flank: Flank): [number, number][] {
  const module = (2 * radius) / teeth, pitch = (2 * Math.PI) / teeth, out: [number, number][] = [];
  for (let i = 0; i < teeth; i++)
    for (const [part, depth] of flank) out.push([(radius + depth * module) * Math.cos((i + part) * pitch), (radius + depth * module) * Math.sin((i + part) * pitch)]);
  return out;
}

const circle = (radius: number, corners = 120): [number, number][] =>
  Array.from({ length: corners }, (_, k) => [radius * Math.cos((2 * Math.PI * k) / corners), radius * Math.sin((2 * Math.PI * k) / corners)]);

/* The turn of the plane of a wheel into the axes of its body: x goes to its mark. */
function turnOf({ axle, mark }: Wheel): Quaternion {
  const x = mark.clone().addScaledVector(axle.axis, -mark.dot(axle.axis));
  if (x.length() < 1e-6) x.set(axle.axis.z, axle.axis.x, axle.axis.y).cross(axle.axis);
  return turnTo(x.normalize(), axle.axis);
}

/* A wheel as shapes of its body. Three marks show that it turns; rods go to what else hangs on it. */
function draw(scene: Scene, wheel: Wheel, thickness: number): void {
  const { axle, radius, ring, teeth } = wheel, module = (2 * radius) / teeth, host = axle.body < 0 ? scene.ground : scene.bodies[axle.body];
  const turn = turnOf(wheel), at = axle.at.clone().addScaledVector(axle.axis, 1.15 * wheel.level * thickness), outside = radius + 4.2 * module;
  const [way, size] = ring ? [radius + 2.7 * module, 0.8 * module] : [0.58 * radius, 0.13 * radius];
  if (axle.body >= 0) for (const point of host.points) {
    const arm = new Vector3(...point.at).sub(axle.at), far = arm.length();
    if (far > (ring ? 1.05 * outside : 1.15 * radius))
      host.shapes.push(shapeAt('polyline', new Vector3(), new Quaternion(), { points: [axle.at.clone().addScaledVector(arm, ring ? radius / far : 0).toArray(), point.at], radius: Math.max(0.3 * thickness, 0.05 * radius) }));
  }
  const outline = ring ? circle(outside) : teethAround(radius, teeth, TOOTH), hole = ring ? teethAround(radius, teeth, GAP) : undefined;
  host.shapes.push(shapeAt('plate', at, turn, { outline, hole, thickness }));
  for (const k of [0, 1, 2]) {
    const place = new Vector3(way, 0, 0).applyAxisAngle(Z, (k * 2 * Math.PI) / 3 + 0.3).applyQuaternion(turn).add(at);
    host.shapes.push(shapeAt('cylinder', place, turn, { radius: size, length: 1.06 * thickness, color: STEEL }));
  }
}

/* The angle from one direction to another about an axis. */
const angleTo = (from: Vector3, to: Vector3, axis: Vector3) => Math.atan2(new Vector3().crossVectors(from, to).dot(axis), from.dot(to));

/* Where the mark of a wheel has to be, in space, so that its teeth stand in the gaps of its mate: the mate's next tooth is an angle off the line of centres, and rolls
 * over the same arc. */
function markBeside(mesh: Mesh, start: Places, mate: Wheel, k: number, radius: number, teeth: number): Vector3 {
  const axis = mesh.ends[0].line, inside = mesh.ring >= 0, sense = k ? 1 : -1;
  const to = mesh.way!.clone().multiplyScalar(inside ? 1 : -sense), back = inside ? to : to.clone().negate();      // from the wheel, from the mate, to the point of contact
  const pitch = (2 * Math.PI) / mate.teeth, off = angleTo(back, start.direction(mate.axle.body, mate.mark), axis);
  const rest = off - pitch * Math.round(off / pitch), arc = (rest * mate.radius) / radius;
  return to.applyAxisAngle(axis, inside ? arc : Math.PI / teeth - arc);
}

/* The wheels of a train, each once; the first of a pair that is drawn already decides where the teeth of the other stand. */
function train(scene: Scene, meshes: Mesh[], start: Places, free: (body: number) => boolean): void {
  const radii = meshes.flatMap((mesh) => mesh.radii), least = Math.min(...radii), fewest = fewestTeeth(radii), thickness = THICKNESS * least;
  const wheels: Wheel[] = [];
  const on = (body: number) => wheels.filter((wheel) => wheel.axle.body === body);
  for (const mesh of meshes) {
    const known = mesh.ends.map((end, k) => on(end.body).find((w) => w.ring === (mesh.ring === k) && Math.abs(w.radius - mesh.radii[k]) < 0.04 * w.radius));
    const level = known[0]?.level ?? known[1]?.level ?? Math.max(...mesh.ends.map((end) => on(end.body).length));
    for (const k of known[1] ? [1, 0] : [0, 1]) {
      if (known[k]) continue;
      const axle = mesh.ends[k], radius = mesh.radii[k], teeth = Math.max(6, Math.round((fewest * radius) / least)), mate = known[1 - k];
      const mark = !mesh.way ? new Vector3(1, 0, 0) : start.inside(axle.body, mate ? markBeside(mesh, start, mate, k, radius, teeth) : mesh.way);
      wheels.push((known[k] = { axle, radius, ring: mesh.ring === k, teeth, mark, level }));
    }
    if (mesh.belt) belt(scene, mesh, start, thickness, level);
  }
  for (const wheel of wheels) if (free(wheel.axle.body)) draw(scene, wheel, thickness);
}

/* Around both wheels, in the axes of the arm: half a circle about each, and two straight lines that touch both. */
function belt(scene: Scene, { ends, radii, way, arm }: Mesh, start: Places, thickness: number, level: number): void {
  const host = arm === undefined || arm < 0 ? scene.ground : scene.bodies[arm], axis = ends[0].line, points: Vector[] = [];
  const d = ends[1].place.clone().sub(ends[0].place).dot(way!), tilt = Math.acos(Math.min(1, Math.max(-1, (radii[0] - radii[1]) / d)));
  const origin = start.point(arm ?? -1, new Vector3());
  ends.forEach((end, k) => {
    const [from, to] = k ? [-tilt, tilt] : [tilt, 2 * Math.PI - tilt];
    for (let i = 0; i <= 20; i++) {
      const out = way!.clone().applyAxisAngle(axis, from + ((to - from) * i) / 20).multiplyScalar(radii[k] * 1.04);
      points.push(start.inside(arm ?? -1, end.place.clone().add(out).addScaledVector(axis, 1.15 * level * thickness).sub(origin)).toArray());
    }
  });
  host.shapes.push(shapeAt('polyline', new Vector3(), new Quaternion(), { points: [...points, points[0]], radius: 0.036 * Math.min(...radii), color: STEEL }));
}

/* A bar with teeth on the body that slides, along its axis, and the pinion that rolls on it. */
function rack(scene: Scene, joint: Joint, start: Places, motion: Motion, free: (body: number) => boolean): void {
  const named = (joint.joints ?? []).map((k) => scene.joints[k]);
  const bar = named.find((j) => /T/.test(j?.motion ?? '') && !/R/.test(j.motion)) ?? named.find((j) => /T/.test(j?.motion ?? ''));
  const axle = axleOf(scene, start, named.find((j) => j !== bar));
  const radius = Math.abs(joint.radius ?? 0);
  if (!bar || bar.sides.length < 2 || !axle || !(radius > 0)) return;
  const side = rider(bar);
  const line = start.direction(side.body, axisOf(side, letterOf(bar, 'T'))).normalize();
  const away = start.point(side.body, new Vector3(...side.at)).sub(axle.place);
  away.addScaledVector(line, -away.dot(line)).addScaledVector(axle.line, -away.dot(axle.line));
  const normal = away.length() > 1e-6 * radius ? away.normalize() : new Vector3().crossVectors(line, axle.line).normalize();
  const teeth = 18, module = (2 * radius) / teeth, thickness = THICKNESS * radius;
  if (free(axle.body)) draw(scene, { axle, radius, ring: false, teeth, mark: start.inside(axle.body, normal), level: 0 }, thickness);
  if (side.body < 0 || !free(side.body)) return;
  const along = start.inside(side.body, line), up = start.inside(side.body, normal), turn = turnTo(along, start.inside(side.body, axle.line));
  const sign = Math.sign(new Vector3(0, 1, 0).applyQuaternion(turn).dot(up)) || 1;
  const zero = start.inside(side.body, axle.place.clone().sub(start.point(side.body, new Vector3()))).addScaledVector(up, radius);
  const [low, high] = reach(start, motion, side, axle, line);
  const pitch = Math.PI * module, first = Math.floor(low / pitch) - 2, last = Math.min(first + 300, Math.ceil(high / pitch) + 2);
  const outline: [number, number][] = [[(last - 0.5) * pitch, sign * 3 * module], [(first - 0.5) * pitch, sign * 3 * module]];
  for (let k = first; k < last; k++)
    for (const [part, depth] of [[-0.17, 1.1], [0.17, 1.1], [0.33, -0.9], [0.67, -0.9]]) outline.push([(k + part) * pitch, sign * depth * module]);
  scene.bodies[side.body].shapes.push(shapeAt('plate', zero, turn, { outline, thickness }));
}

/* Where the pinion is along the bar, over the motion, from where it is at the start. */
function reach(places: Places, motion: Motion, side: Side, axle: Axle, line: Vector3): [number, number] {
  let low = 0, high = 0, begin: number | null = null;
  const count = Math.min(120, motion.frames);
  for (let i = 0; i < count; i++) {
    places.go(Math.round((i * (motion.frames - 1)) / Math.max(1, count - 1)));
    const s = places.point(axle.body, axle.at).sub(places.point(side.body, new Vector3(...side.at))).dot(line);
    begin ??= s;
    if (Number.isFinite(s - begin)) { low = Math.min(low, s - begin); high = Math.max(high, s - begin); }
  }
  places.go(0);
  return [low, high];
}

/* Before the scene is measured, once: bodies without shapes get the wheels and racks of the model. */
export function addGears(scene: Scene, motion: Motion | undefined): void {
  if (!motion?.frames || !scene.joints.some((joint) => joint.joints?.length)) return;
  const start = new Places(scene, motion);
  const bare = new Set(scene.bodies.flatMap((body, i) => (body.shapes.length ? [] : [i])));
  const free = (body: number) => (body < 0 ? !scene.ground.shapes.length : bare.has(body));
  const meshes = scene.joints.flatMap((joint) => (joint.type === 'gear' ? [meshOf(scene, joint, start)] : [])).filter((mesh) => mesh !== null);
  for (const own of trains(meshes)) train(scene, own, start, free);
  for (const joint of scene.joints) if (joint.type === 'rack-and-pinion') rack(scene, joint, start, motion, free);
}
