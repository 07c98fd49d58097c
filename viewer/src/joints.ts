/* Joints. One maker a type; a type without one is drawn from the motion that it leaves free. */

import { Quaternion, Vector3 } from 'three';
import { type Build, axisOf, colorOf, lift, turnTo } from './build';
import type { End, Joint, Side } from './data';
import { placements, transform } from './motion';
import { FOOT, PIN, STEEL } from './palette';
import { addWheel } from './shapes';

const Z = new Vector3(0, 0, 1);
const vec = (a: ArrayLike<number>, raise = 0) => new Vector3(a[0], a[1], a[2] + raise);

type Maker = (build: Build, joint: Joint) => void;

const letter = (joint: Joint, kind: string, otherwise: string) => new RegExp(`${kind}([xyz])`).exec(joint.motion)?.[1] ?? otherwise;

/* How far one side goes along an axis of the other, over the whole motion. */
function travel(build: Build, rail: Side, rider: Side, axis: Vector3): [number, number] {
  const n = build.scene.bodies.length;
  const pose = new Float64Array(7 * n), places = new Float64Array(12 * (n + 1));
  const foot = new Vector3(), tip = new Vector3(), at = new Vector3();
  const end = vec(rail.at).add(axis);
  let low = 0, high = 0;
  const count = Math.min(120, build.motion.frames);
  for (let i = 0; i < count; i++) {
    build.motion.frame(Math.round((i * (build.motion.frames - 1)) / Math.max(1, count - 1)), pose);
    placements(pose, n, build.extent.origin, places);
    transform(places, rail.body, n, rail.at, foot);
    transform(places, rail.body, n, end.toArray(), tip);
    transform(places, rider.body, n, rider.at, at);
    const s = at.sub(foot).dot(tip.sub(foot));
    if (Number.isFinite(s)) { low = Math.min(low, s); high = Math.max(high, s); }
  }
  const most = 4 * build.extent.path;
  return [Math.max(low, -most), Math.min(high, most)];
}

/* Which side of a pivot is free for its foot: away from where the other body usually is. */
function footSide(build: Build, ground: End, other: End): Vector3 {
  const n = build.scene.bodies.length;
  const pose = new Float64Array(7 * n), places = new Float64Array(12 * (n + 1));
  const c = new Vector3(), mean = new Vector3();
  const pin = vec(ground.at).sub(new Vector3(...build.extent.origin));
  const count = Math.min(20, build.motion.frames);
  for (let i = 0; i < count && other.body >= 0; i++) {
    build.motion.frame(Math.round((i * (build.motion.frames - 1)) / Math.max(1, count - 1)), pose);
    placements(pose, n, build.extent.origin, places);
    transform(places, other.body, n, build.scene.bodies[other.body].center, c);
    if (Number.isFinite(c.x)) mean.add(c.sub(pin));
  }
  const side = mean.dot(build.up) > -0.3 * mean.length() ? -1 : 1;
  const up = build.up.clone();
  if (build.planar) up.z = 0;
  return (up.length() > 0 ? up.normalize() : new Vector3(0, 1, 0)).multiplyScalar(side);
}

/* Strokes below a line: this is the ground. */
function hatch(build: Build, from: Vector3, to: Vector3, below: Vector3, size: number): void {
  const along = to.clone().sub(from);
  const length = along.length();
  if (!(length > 0)) return;
  along.divideScalar(length);
  const { parts } = build;
  const wire = 0.07 * size;
  parts.rod('ground', -1, from, to, wire, FOOT);
  const count = Math.min(60, Math.max(3, Math.round(length / (0.55 * size))));
  for (let i = 0; i < count; i++) {
    const top = from.clone().addScaledVector(along, ((i + 0.8) * length) / count);
    parts.rod('ground', -1, top, top.clone().addScaledVector(along, -0.4 * size).addScaledVector(below, 0.55 * size), 0.7 * wire, FOOT);
  }
}

/* What is fixed to the ground stands on it: a triangle in the plane, a cone in space, and strokes below. */
export function foot(build: Build, side: End, other: End): void {
  if (side.body !== -1 || !build.statics) return;
  const u = build.extent.unit;
  const at = vec(side.at, 0);
  if (build.feet.some((p) => p.distanceTo(at) < 0.5 * u)) return;
  build.feet.push(at);
  const down = footSide(build, side, other);
  if (build.planar) {
    const y = down.clone().negate();
    const turn = turnTo(new Vector3(y.y, -y.x, 0), Z);
    const back = at.clone().setZ(-0.6 * build.stack);
    build.parts.add('ground', 'wedge', -1, back, turn, new Vector3(3.6 * u, 3.2 * u, 0.4 * u), FOOT);
    build.parts.disc('ground', -1, back, Z, 1.05 * u, 0.4 * u, FOOT);
    const base = back.clone().addScaledVector(down, 3.2 * u);
    const x = new Vector3(y.y, -y.x, 0).multiplyScalar(2.6 * u);
    hatch(build, base.clone().sub(x), base.clone().add(x), down, 1.8 * u);
    return;
  }
  const turn = new Quaternion().setFromUnitVectors(Z, down.clone().negate());
  build.parts.add('ground', 'cone', -1, at.clone().addScaledVector(down, 3.4 * u), turn, new Vector3(1.9 * u, 1.9 * u, 3.4 * u), FOOT);
  build.parts.disc('ground', -1, at.clone().addScaledVector(down, 3.5 * u), down, 2.6 * u, 0.3 * u, FOOT);
  const side1 = turnTo(down, new Vector3(1, 0.3, 0.2));
  const x = new Vector3(0, 1, 0).applyQuaternion(side1).multiplyScalar(2.4 * u);
  const z = new Vector3(0, 0, 1).applyQuaternion(side1).multiplyScalar(1.3 * u);
  const base = at.clone().addScaledVector(down, 3.6 * u);
  for (const k of [-1, 0, 1]) {
    const middle = base.clone().addScaledVector(z, k);
    const half = x.clone().multiplyScalar(k ? 0.8 : 1);
    hatch(build, middle.clone().sub(half), middle.clone().add(half), down, 1.5 * u);
  }
}

function feet(build: Build, joint: Joint): void {
  const [a, b] = joint.sides;
  if (a && b) {
    foot(build, a, b);
    foot(build, b, a);
  }
}

const owner = (joint: Joint): Side => (joint.sides[0].body >= 0 || !joint.sides[1] ? joint.sides[0] : joint.sides[1]);

const revolute: Maker = (build, joint) => {
  const u = build.extent.unit;
  const side = owner(joint);
  const { parts } = build;
  feet(build, joint);
  if (build.planar) {
    parts.disc('joints', side.body, vec(side.at, 0), Z, 0.62 * u, 2.0 * build.front + 0.1 * u, PIN);
    parts.disc('joints', side.body, vec(side.at, 0), Z, 0.34 * u, 2.0 * build.front + 0.24 * u, '#e8ebef');
    return;
  }
  const axis = axisOf(side, letter(joint, 'R', 'z'));
  parts.disc('joints', side.body, vec(side.at), axis, 1.45 * u, 2.6 * u, STEEL);
  parts.disc('joints', side.body, vec(side.at), axis, 0.6 * u, 3.4 * u, PIN);
};

/* The rail belongs to the ground where it is a side, otherwise to the first body; the block rides on it. */
function rail(build: Build, joint: Joint, block: boolean): void {
  const [first, second] = joint.sides;
  const [base, rider] = second.body < 0 ? [second, first] : [first, second];
  const u = build.extent.unit;
  const axis = axisOf(base, letter(joint, 'T', joint.type === 'prismatic' && build.planar ? 'x' : 'z'));
  const [low, high] = travel(build, base, rider, axis);
  const raise = build.planar ? (base.body < 0 ? -0.4 * build.stack : lift(build, base.body)) : 0;
  const from = vec(base.at, raise).addScaledVector(axis, low - 3.5 * u);
  const to = vec(base.at, raise).addScaledVector(axis, high + 3.5 * u);
  const across = build.planar ? new Vector3(-axis.y, axis.x, 0) : new Vector3(0, 0, 1).applyQuaternion(turnTo(axis, build.up));
  if (across.dot(build.up) > 0) across.negate();
  const drawn = base.body >= 0 || build.statics;
  const layer = base.body < 0 ? 'ground' : 'joints';
  if (drawn && build.planar && base.body < 0) {
    const line = across.clone().multiplyScalar(1.35 * u);
    hatch(build, from.clone().add(line), to.clone().add(line), across, 1.8 * u);
    build.parts.rod(layer, -1, from, to, 0.16 * u, FOOT);
  } else if (drawn && build.planar) {
    const length = from.distanceTo(to);
    const middle = from.clone().add(to).multiplyScalar(0.5);
    build.parts.add(layer, 'box', base.body, middle, turnTo(axis, Z), new Vector3(length, 0.7 * u, 1.1 * build.thickness), STEEL);
  } else if (drawn) {
    build.parts.rod(layer, base.body, from, to, 0.5 * u, STEEL);
    if (base.body < 0) for (const end of [from, to]) build.parts.ball(layer, -1, end, 0.8 * u, FOOT);
  }
  if (!block) return;
  const along = axisOf(rider, letter(joint, 'T', joint.type === 'prismatic' && build.planar ? 'x' : 'z'));
  const size = build.planar ? new Vector3(4.4 * u, 2.5 * u, build.thickness) : new Vector3(3.6 * u, 2.2 * u, 2.2 * u);
  const near = build.planar ? Z : build.up;
  if (rider.body >= 0 && !build.scene.bodies[rider.body].shapes.length) build.parts.add('joints', 'box', rider.body, vec(rider.at, lift(build, rider.body)), turnTo(along, near), size, colorOf(build, rider.body));
}

const slider: Maker = (build, joint) => rail(build, joint, true);

const shaft: Maker = (build, joint) => {
  rail(build, joint, false);
  const side = owner(joint);
  build.parts.disc('joints', side.body, vec(side.at, lift(build, side.body)), axisOf(side, letter(joint, 'T', 'z')), 1.4 * build.extent.unit, 3.2 * build.extent.unit, STEEL);
};

const slot: Maker = (build, joint) => {
  rail(build, joint, false);
  const side = joint.sides[1];
  if (build.planar) revolutePin(build, side);
  else build.parts.ball('joints', side.body, vec(side.at), 1.2 * build.extent.unit, PIN);
};

function revolutePin(build: Build, side: Side): void {
  build.parts.disc('joints', side.body, vec(side.at), Z, 0.62 * build.extent.unit, 2 * build.stack + 0.1 * build.extent.unit, PIN);
}

const ball: Maker = (build, joint) => {
  feet(build, joint);
  const u = build.extent.unit;
  const side = joint.sides[1] ?? joint.sides[0];
  build.parts.ball('joints', side.body, vec(side.at), 1.5 * u, STEEL);
  build.parts.add('joints', 'ring', joint.sides[0].body, vec(joint.sides[0].at), turnTo(axisOf(joint.sides[0], 'x'), build.up), new Vector3(1.45 * u, 1.45 * u, 1.8 * u), PIN);
};

const cross: Maker = (build, joint) => {
  feet(build, joint);
  const u = build.extent.unit;
  const turns = [...joint.motion.matchAll(/R([xyz])/g)].map((m) => m[1]);
  const axes = [axisOf(joint.sides[0], turns[0] ?? 'x'), axisOf(joint.sides[1], turns[1] ?? 'y')];
  joint.sides.slice(0, 2).forEach((side, i) => {
    const at = vec(side.at);
    build.parts.rod('joints', side.body, at.clone().addScaledVector(axes[i], -2.2 * u), at.clone().addScaledVector(axes[i], 2.2 * u), 0.6 * u, i ? PIN : STEEL);
    for (const s of [-2.2, 2.2]) build.parts.ball('joints', side.body, at.clone().addScaledVector(axes[i], s * u), 0.8 * u, i ? PIN : STEEL);
  });
};

const weld: Maker = (build, joint) => {
  feet(build, joint);
  const side = owner(joint);
  const s = 1.5 * build.extent.unit;
  if (build.planar) build.parts.add('joints', 'box', side.body, vec(side.at), turnTo(axisOf(side, 'x'), Z), new Vector3(s, s, 2 * build.front), PIN);
  else build.parts.add('joints', 'box', side.body, vec(side.at), turnTo(axisOf(side, 'x'), axisOf(side, 'z')), new Vector3(s, s, s).multiplyScalar(1.4), PIN);
};

const table: Maker = (build, joint) => {
  const [base, rider] = joint.sides;
  const s = Math.max(8 * build.extent.unit, 0.2 * build.extent.size);
  if (base.body >= 0 || build.statics)
    build.parts.add(base.body < 0 ? 'ground' : 'joints', 'box', base.body, vec(base.at), turnTo(axisOf(base, 'x'), axisOf(base, 'z')), new Vector3(s, s, 0.2 * build.extent.unit), STEEL);
  build.parts.ball('joints', rider.body, vec(rider.at), 1.2 * build.extent.unit, PIN);
};

const wheel: Maker = (build, joint) => {
  const side = joint.sides[1];
  if (!side || build.scene.bodies[side.body]?.shapes.length) return;
  const radius = joint.radius ?? 4 * build.extent.unit;
  const height = build.planar ? build.thickness : Math.min(1.2 * build.extent.unit, 0.25 * radius);
  addWheel(build, side.body, vec(side.at, lift(build, side.body)), axisOf(side, 'z'), radius, height, colorOf(build, side.body));
};

/* A ball that rolls, with two belts that show it turning. */
const marble: Maker = (build, joint) => {
  const side = joint.sides[1];
  if (!side || build.scene.bodies[side.body]?.shapes.length) return;
  const r = joint.radius ?? 3 * build.extent.unit;
  build.parts.ball('bodies', side.body, vec(side.at), r, colorOf(build, side.body));
  for (const axis of ['x', 'z'])
    build.parts.disc('bodies', side.body, vec(side.at), axisOf(side, axis), 1.015 * r, 0.12 * r, axis === 'x' ? PIN : STEEL);
};

const blade: Maker = (build, joint) => {
  const side = joint.sides[1];
  const u = build.extent.unit;
  const size = build.planar ? new Vector3(4.5 * u, 0.7 * u, 2 * build.front) : new Vector3(4.5 * u, 0.5 * u, 1.6 * u);
  build.parts.add('joints', 'box', side.body, vec(side.at), turnTo(axisOf(side, joint.motion ? letter(joint, 'T', 'z') : 'z'), build.planar ? Z : build.up), size, PIN);
};

/* Of an orientation or of a coordinate: nothing to draw but what others draw. */
const unseen: Maker = () => undefined;

const makers: Record<string, Maker> = {
  revolute, prismatic: slider, cylindrical: shaft, screw: shaft, spherical: ball, universal: cross, planar: table, rigid: weld,
  distance: feet, 'pin-in-slot': slot, 'point-on-line': slot, 'point-on-plane': table, parallel: unseen, perpendicular: unseen,
  'rolling-disc': wheel, 'rolling-wheel': wheel, 'rolling-ball': marble, skate: blade, gear: unseen, 'rack-and-pinion': unseen, driven: unseen, lock: unseen,
};

function byMotion(joint: Joint): Maker {
  const turns = (joint.motion.match(/R/g) ?? []).length;
  if (/T/.test(joint.motion)) return turns ? shaft : slider;
  return turns > 2 ? ball : turns === 2 ? cross : turns === 1 ? revolute : unseen;
}

export function addJoint(build: Build, joint: Joint): void {
  if (joint.sides.length < 2) return;
  (Object.hasOwn(makers, joint.type) ? makers[joint.type] : byMotion(joint))(build, joint);
}
