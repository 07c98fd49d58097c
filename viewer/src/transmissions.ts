/* What couples and moves joints: gears, racks, drives and motors. They have no points of their own; they are drawn where the joints are that they name.
 *
 * Gears whose axes are parallel roll on one another: with the distance d of the axes and the ratio i of their angles
 *   r1 = d |i| / (1 + |i|),  r2 = d / (1 + |i|)        in opposite directions (external teeth)
 * A tooth of one stands in a gap of the other at the start. Wheels and racks become shapes of bodies that have none, before anything is measured. */

import { Quaternion, Vector3 } from 'three';
import { type Build, axisOf, turnTo } from './build';
import type { Body, Joint, Scene, Shape, Side } from './data';
import { type Motion, placements, transform } from './motion';
import { MOTOR, STEEL } from './palette';

const Z = new Vector3(0, 0, 1);
const MOST_TEETH = 160;

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

interface Axle { body: number; at: Vector3; axis: Vector3; place: Vector3; line: Vector3 }

const letterOf = (joint: Joint, kind: string) => new RegExp(`${kind}([xyz])`).exec(joint.motion)?.[1] ?? 'z';
const rider = (joint: Joint): Side => (joint.sides[1].body >= 0 ? joint.sides[1] : joint.sides[0]);

/* The turning side of a joint; its place and axis as they are at the start. */
function axleOf(scene: Scene, start: Places, joint: Joint | undefined): Axle | null {
  if (!joint || joint.sides.length < 2) return null;
  const side = rider(joint);
  if (side.body < 0) return null;
  const at = new Vector3(...side.at), axis = scene.space === 'planar' ? Z.clone() : axisOf(side, letterOf(joint, 'R'));
  return { body: side.body, at, axis, place: start.point(side.body, at), line: start.direction(side.body, axis) };
}

const shapeAt = (kind: Shape['kind'], at: Vector3, turn: Quaternion, rest: Partial<Shape>): Shape =>
  ({ kind, at: [at.x, at.y, at.z], quaternion: [turn.w, turn.x, turn.y, turn.z], color: null, ...rest });

/* A wheel with teeth; `towards`: a direction in the axes of the body where a tooth (or, with `gap`, a gap) stands. Marks show that it turns. */
function toothed(body: Body, axle: Axle, radius: number, teeth: number, towards: Vector3, gap: boolean, thickness: number): void {
  const module = (2 * radius) / teeth, pitch = (2 * Math.PI) / teeth, phase = gap ? pitch / 2 : 0;
  const flank: [number, number][] = [[-0.33, -1.1], [-0.16, 0.9], [0.16, 0.9], [0.33, -1.1]];
  const outline: [number, number][] = [];
  for (let i = 0; i < teeth; i++)
    for (const [part, depth] of flank) {
      const a = phase + (i + part) * pitch, r = radius + depth * module;
      outline.push([r * Math.cos(a), r * Math.sin(a)]);
    }
  const x = towards.clone().addScaledVector(axle.axis, -towards.dot(axle.axis));
  const turn = turnTo(x.length() > 0 ? x.normalize() : new Vector3(1, 0, 0), axle.axis);
  for (const point of body.points) {      // what else hangs on it
    const arm = new Vector3(...point.at).sub(axle.at);
    if (arm.length() > 1.15 * radius) body.shapes.push(shapeAt('polyline', new Vector3(), new Quaternion(), { points: [axle.at.toArray(), point.at], radius: 0.3 * thickness }));
  }
  body.shapes.push(shapeAt('plate', axle.at, turn, { outline, thickness }));
  for (const k of [0, 1, 2]) {
    const at = new Vector3(0.58 * radius, 0, 0).applyAxisAngle(Z, (k * 2 * Math.PI) / 3 + 0.3).applyQuaternion(turn).add(axle.at);
    body.shapes.push(shapeAt('cylinder', at, turn, { radius: 0.13 * radius, length: 1.06 * thickness, color: STEEL }));
  }
}

function gear(scene: Scene, joint: Joint, start: Places, free: (body: number) => boolean): void {
  const [a, b] = (joint.joints ?? []).map((k) => axleOf(scene, start, scene.joints[k]));
  const ratio = Math.abs(joint.ratio ?? 1);
  if (!a || !b || !(ratio > 1e-3 && ratio < 1e3)) return;
  const parallel = Math.abs(a.line.dot(b.line)) > 0.999;
  const between = b.place.clone().sub(a.place);
  const whole = between.length();
  between.addScaledVector(a.line, -between.dot(a.line));
  const meets = parallel && between.length() > 1e-6 * (whole + 1e-300);
  if (!(whole > 0)) return;      // on one axis: nothing says how large they are
  const opposite = (joint.ratio ?? 1) * Math.sign(a.line.dot(b.line) || 1) < 0;
  const sum = !meets ? 0.6 * whole : opposite ? between.length() : 0.7 * between.length();
  const radii = [(sum * ratio) / (1 + ratio), sum / (1 + ratio)];
  const module = Math.max(Math.min(...radii) / 9, Math.max(...radii) / (MOST_TEETH / 2));
  [a, b].forEach((axle, i) => {
    const towards = meets ? start.inside(axle.body, i ? between.clone().negate() : between) : new Vector3(1, 0, 0);
    if (free(axle.body)) toothed(scene.bodies[axle.body], axle, radii[i], Math.max(6, Math.round((2 * radii[i]) / module)), towards, i === 1, 0.3 * Math.min(...radii));
  });
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
  const teeth = 18, module = (2 * radius) / teeth, thickness = 0.3 * radius;
  if (free(axle.body)) toothed(scene.bodies[axle.body], axle, radius, teeth, start.inside(axle.body, normal), false, thickness);
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
  const free = (body: number) => bare.has(body);
  for (const joint of scene.joints) {
    if (joint.type === 'gear') gear(scene, joint, start, free);
    else if (joint.type === 'rack-and-pinion') rack(scene, joint, start, motion, free);
  }
}

/* A drive, or a motor: arrows around the axis, or along it. */
function motor(build: Build, joint: Joint): void {
  if (joint.sides.length < 2) return;
  const u = build.extent.unit, side = joint.sides[0].body >= 0 || build.statics ? joint.sides[0] : joint.sides[1];
  const at = new Vector3(...side.at);
  const turns = /R/.test(joint.motion) || !/T/.test(joint.motion);
  const axis = build.planar && turns ? Z.clone() : axisOf(side, letterOf(joint, turns ? 'R' : 'T'));
  if (build.planar) at.z = build.stack + 0.5 * u;
  const r = 1.9 * u, { parts } = build;
  if (!turns) {
    const off = build.planar ? new Vector3(-axis.y, axis.x, 0) : new Vector3(0, 0, 1).applyQuaternion(turnTo(axis, build.up));
    const base = at.clone().addScaledVector(off, r);
    parts.rod('joints', side.body, base.clone().addScaledVector(axis, -2 * u), base.clone().addScaledVector(axis, 2 * u), 0.28 * u, MOTOR);
    for (const s of [-1, 1])
      parts.add('joints', 'cone', side.body, base.clone().addScaledVector(axis, 2 * s * u), new Quaternion().setFromUnitVectors(Z, axis.clone().multiplyScalar(s)), new Vector3(0.8 * u, 0.8 * u, 1.3 * u), MOTOR);
    return;
  }
  parts.add('joints', 'ring', side.body, at, new Quaternion().setFromUnitVectors(Z, axis), new Vector3(r, r, 0.9 * r), MOTOR);
  const x = new Vector3(1, 0, 0).applyQuaternion(turnTo(axis, build.planar ? new Vector3(0, 1, 0) : build.up)), frame = turnTo(axis, x);
  for (const angle of [0.5, 0.5 + Math.PI]) {
    const out = new Vector3(0, Math.cos(angle), Math.sin(angle)).applyQuaternion(frame);
    const tangent = new Vector3().crossVectors(axis, out);
    parts.add('joints', 'cone', side.body, at.clone().addScaledVector(out, r).addScaledVector(tangent, -0.5 * u), new Quaternion().setFromUnitVectors(Z, tangent), new Vector3(1.1 * u, 1.1 * u, 1.6 * u), MOTOR);
  }
}

/* Two bars across a joint whose coordinate is locked. */
function lock(build: Build, joint: Joint): void {
  if (joint.sides.length < 2) return;
  const u = build.extent.unit, side = rider(joint), at = new Vector3(...side.at);
  if (build.planar) at.z = build.stack + 0.3 * u;
  for (const s of [-1, 1])
    build.parts.add('joints', 'box', side.body, at, turnTo(new Vector3(Math.SQRT1_2, s * Math.SQRT1_2, 0), Z), new Vector3(3.4 * u, 0.5 * u, 0.5 * u), STEEL);
}

export function addTransmissions(build: Build): void {
  const { joints, forces } = build.scene;
  const moved = new Set<number>();
  joints.forEach((joint, i) => {
    if (joint.type === 'driven') joint.joints?.forEach((k) => moved.add(k));
    else if (joint.type === 'lock') joint.joints?.forEach((k) => joints[k] && lock(build, joints[k]));
    if (joint.driven) moved.add(i);
  });
  for (const force of forces) if (force.joint !== undefined && /^(motor|torque|force)$/.test(force.type)) moved.add(force.joint);
  for (const k of moved) if (joints[k]) motor(build, joints[k]);
}
