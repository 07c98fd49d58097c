/* What couples and moves joints: gears, racks, drives and motors. They have no points of their own; they are drawn where the joints are that they name.
 *
 * Gears whose axes are parallel roll on one another: with the distance d of the axes and the ratio i of their angles
 *   r1 = d |i| / (1 + |i|),  r2 = d / (1 + |i|)        in opposite directions (external teeth)
 * A tooth of one stands in a gap of the other at the start. */

import { ExtrudeGeometry, Matrix4, type MeshLambertMaterial, Quaternion, Shape as Outline, Vector2, Vector3 } from 'three';
import { type Build, axisOf, colorOf, lift, turnTo } from './build';
import type { Joint, Side } from './data';
import { placements, transform } from './motion';
import { MOTOR, PIN, STEEL } from './palette';

const Z = new Vector3(0, 0, 1);

/* How the mechanism stands at the start. */
class Start {
  private readonly places: Float64Array;
  private readonly n: number;

  constructor(build: Build) {
    this.n = build.scene.bodies.length;
    const pose = new Float64Array(7 * this.n);
    this.places = new Float64Array(12 * (this.n + 1));
    if (build.motion.frames) build.motion.frame(0, pose);
    placements(pose, this.n, build.extent.origin, this.places);
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
function axleOf(build: Build, start: Start, joint: Joint): Axle | null {
  if (joint.sides.length < 2) return null;
  const side = rider(joint);
  if (side.body < 0) return null;
  const at = new Vector3(...side.at), axis = build.planar ? Z.clone() : axisOf(side, letterOf(joint, 'R'));
  return { body: side.body, at, axis, place: start.point(side.body, at), line: start.direction(side.body, axis) };
}

/* A wheel with teeth; `towards`: a direction in the axes of the body where a tooth (or, with `gap`, a gap) stands. */
function toothed(build: Build, axle: Axle, radius: number, teeth: number, towards: Vector3, gap: boolean, height: number): void {
  const outline = new Outline();
  const module = (2 * radius) / teeth, pitch = (2 * Math.PI) / teeth, phase = gap ? pitch / 2 : 0;
  const shape: [number, number][] = [[-0.36, -1.1], [-0.17, 0.9], [0.17, 0.9], [0.36, -1.1]];
  const points: Vector2[] = [];
  for (let i = 0; i < teeth; i++)
    for (const [part, depth] of shape) {
      const a = phase + (i + part) * pitch, r = radius + depth * module;
      points.push(new Vector2(r * Math.cos(a), r * Math.sin(a)));
    }
  outline.setFromPoints(points);
  if (radius > 5 * module) {      // spokes show that it turns
    for (let k = 0; k < 4; k++) {
      const hole = new Outline();
      const c = (k + 0.5) * (Math.PI / 2);
      hole.absarc(0.52 * radius * Math.cos(c), 0.52 * radius * Math.sin(c), 0.2 * radius, 0, 2 * Math.PI, true);
      outline.holes.push(hole);
    }
  }
  const x = towards.clone().addScaledVector(axle.axis, -towards.dot(axle.axis));
  const turn = turnTo(x.length() > 0 ? x.normalize() : new Vector3(1, 0, 0), axle.axis);
  const geometry = new ExtrudeGeometry(outline, { depth: height, bevelEnabled: false, curveSegments: 10 }).translate(0, 0, -height / 2);
  const at = axle.at.clone();
  at.z += lift(build, axle.body);
  build.parts.piece('bodies', axle.body, geometry.applyMatrix4(new Matrix4().compose(at, turn, new Vector3(1, 1, 1))), colorOf(build, axle.body), build.parts.material.userData.pieces as MeshLambertMaterial);
}

const drawn = (build: Build, body: number) => build.scene.bodies[body].shapes.length > 0;      // as the model says

function gear(build: Build, joint: Joint, start: Start): void {
  const [a, b] = (joint.joints ?? []).map((k) => axleOf(build, start, build.scene.joints[k]));
  const ratio = Math.abs(joint.ratio ?? 1);
  if (!a || !b || !(ratio > 0) || !Number.isFinite(ratio)) return;
  const u = build.extent.unit, parallel = Math.abs(a.line.dot(b.line)) > 0.999;
  const between = b.place.clone().sub(a.place);
  between.addScaledVector(a.line, -between.dot(a.line));
  const distance = between.length(), meets = parallel && distance > 2 * u;
  const opposite = (joint.ratio ?? 1) * Math.sign(a.line.dot(b.line) || 1) < 0;
  const sum = !meets ? 8 * u : opposite ? distance : 0.7 * distance;
  const radii = [(sum * ratio) / (1 + ratio), sum / (1 + ratio)];
  const module = Math.min(0.9 * u, (2 * Math.min(...radii)) / 8);
  const height = build.planar ? build.thickness : Math.min(1.6 * u, 0.5 * Math.min(...radii));
  [a, b].forEach((axle, i) => {
    if (drawn(build, axle.body)) return;
    const teeth = Math.min(160, Math.max(8, Math.round((2 * radii[i]) / module)));
    const towards = meets ? start.inside(axle.body, i ? between.clone().negate() : between) : new Vector3(1, 0, 0);
    toothed(build, axle, radii[i], teeth, towards, i === 1, height);
  });
  if (meets && !opposite) belt(build, joint, between, radii, a);
}

/* The same direction: a belt around both, on what carries their axles. */
function belt(build: Build, joint: Joint, between: Vector3, radii: number[], a: Axle): void {
  const carrier = build.scene.joints[joint.joints![0]].sides.find((side) => side.body !== a.body) ?? { body: -1, at: [0, 0, 0], axes: [] };
  if (carrier.body >= 0 || !build.statics) return;
  const origin = new Vector3(...build.extent.origin);
  const along = between.clone().normalize(), across = new Vector3().crossVectors(a.line, along).normalize();
  for (const side of [-1, 1]) {
    const from = a.place.clone().add(origin).addScaledVector(across, side * radii[0]), to = a.place.clone().add(origin).add(between).addScaledVector(across, side * radii[1]);
    build.parts.rod('joints', -1, from, to, 0.3 * build.extent.unit, PIN);
  }
}

/* A bar with teeth on the body that slides, along its axis, and the pinion that rolls on it. */
function rack(build: Build, joint: Joint, start: Start): void {
  const named = (joint.joints ?? []).map((k) => build.scene.joints[k]);
  const bar = named.find((j) => /T/.test(j?.motion ?? '') && !/R/.test(j.motion)) ?? named.find((j) => /T/.test(j?.motion ?? ''));
  const pinion = named.find((j) => j !== bar);
  const axle = pinion && axleOf(build, start, pinion);
  const radius = Math.abs(joint.radius ?? 0);
  if (!bar || bar.sides.length < 2 || !axle || !(radius > 0)) return;
  const side = rider(bar), u = build.extent.unit;
  const line = start.direction(side.body, axisOf(side, letterOf(bar, 'T'))).normalize();
  const away = start.point(side.body, new Vector3(...side.at)).sub(axle.place);
  away.addScaledVector(line, -away.dot(line)).addScaledVector(axle.line, -away.dot(axle.line));
  const normal = away.length() > 1e-6 * radius ? away.normalize() : new Vector3().crossVectors(line, axle.line).normalize();
  const teeth = Math.min(120, Math.max(8, Math.round((2 * radius) / Math.min(0.9 * u, radius / 5))));
  const module = (2 * radius) / teeth, height = build.planar ? build.thickness : Math.min(1.6 * u, radius);
  if (!drawn(build, axle.body)) toothed(build, axle, radius, teeth, start.inside(axle.body, normal), false, height);
  if (side.body < 0 || drawn(build, side.body)) return;
  const [low, high] = reach(build, start, side, axle, line);
  const inside = (d: Vector3) => start.inside(side.body, d);
  const along = inside(line), up = inside(normal), turn = turnTo(along, inside(axle.line));
  const zero = inside(axle.place.clone().sub(start.point(side.body, new Vector3()))).addScaledVector(up, radius);
  zero.z += lift(build, side.body);
  const pitch = Math.PI * module, first = Math.floor((low - 2 * u) / pitch), last = Math.ceil((high + 2 * u) / pitch), color = colorOf(build, side.body);
  const middle = zero.clone().addScaledVector(along, ((first + last) / 2) * pitch).addScaledVector(up, 2.1 * module);
  build.parts.add('bodies', 'box', side.body, middle, turn, new Vector3((last - first) * pitch, 2 * module, height), color);
  for (let k = first; k < last && last - first < 400; k++)
    build.parts.add('bodies', 'box', side.body, zero.clone().addScaledVector(along, (k + 0.5) * pitch).addScaledVector(up, 0.1 * module), turn, new Vector3(0.42 * pitch, 2 * module, height), color);
}

/* Where the pinion is along the bar, over the motion, from where it is at the start. */
function reach(build: Build, start: Start, side: Side, axle: Axle, line: Vector3): [number, number] {
  const n = build.scene.bodies.length, pose = new Float64Array(7 * n), places = new Float64Array(12 * (n + 1));
  const bar = new Vector3(), pin = new Vector3();
  const begin = axle.place.clone().sub(start.point(side.body, new Vector3(...side.at))).dot(line);
  let low = 0, high = 0;
  const count = Math.min(120, build.motion.frames);
  for (let i = 0; i < count; i++) {
    build.motion.frame(Math.round((i * (build.motion.frames - 1)) / Math.max(1, count - 1)), pose);
    placements(pose, n, build.extent.origin, places);
    transform(places, side.body, n, side.at, bar);
    transform(places, axle.body, n, axle.at.toArray(), pin);
    const s = pin.sub(bar).dot(line) - begin;
    if (Number.isFinite(s)) { low = Math.min(low, s); high = Math.max(high, s); }
  }
  const most = 4 * build.extent.path;
  return [Math.max(low, -most), Math.min(high, most)];
}

/* A drive, or a motor: arrows around the axis, or along it. */
function motor(build: Build, joint: Joint): void {
  if (joint.sides.length < 2) return;
  const u = build.extent.unit, side = joint.sides[0].body >= 0 || build.statics ? joint.sides[0] : joint.sides[1];
  const at = new Vector3(...side.at);
  const turns = /R/.test(joint.motion) || !/T/.test(joint.motion);
  const axis = build.planar && turns ? Z.clone() : axisOf(side, letterOf(joint, turns ? 'R' : 'T'));
  if (build.planar) at.z = build.stack + 0.5 * u;
  const r = 2.3 * u, { parts } = build;
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
  const start = new Start(build);
  const moved = new Set<number>();
  joints.forEach((joint, i) => {
    if (joint.type === 'gear') gear(build, joint, start);
    else if (joint.type === 'rack-and-pinion') rack(build, joint, start);
    else if (joint.type === 'driven') joint.joints?.forEach((k) => moved.add(k));
    else if (joint.type === 'lock') joint.joints?.forEach((k) => joints[k] && lock(build, joints[k]));
    if (joint.driven) moved.add(i);
  });
  for (const force of forces) if (force.joint !== undefined && /^(motor|torque|force)$/.test(force.type)) moved.add(force.joint);
  for (const k of moved) if (joints[k]) motor(build, joints[k]);
}
