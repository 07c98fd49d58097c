/* Bodies. Those with shapes are drawn as they say; the others as what their points suggest: a bar between two, a plate on three in a
 * plane, rods from the middle otherwise; a wheel on its own axle; a block where there is nothing to go by, as large as its inertia says where it is alone,
 * and small in a machine. */

import {
  BufferAttribute, BufferGeometry, CapsuleGeometry, CatmullRomCurve3, CurvePath, ExtrudeGeometry, LineCurve3, Line, LineBasicMaterial, Matrix4, type MeshLambertMaterial, Quaternion,
  Path, Shape as Outline, TubeGeometry, Vector2, Vector3,
} from 'three';
import { type Build, colorOf, lift, turnTo } from './build';
import type { Body, Shape, Side } from './data';
import { type InertiaBox, attached, axleWheel, distance, drawnByJoint, inertiaBox, isMachine, rodEnd } from './extent';
import { CENTER, STEEL } from './palette';

const vec = (a: ArrayLike<number>, raise = 0) => new Vector3(a[0], a[1], a[2] + raise);

function placed(geometry: BufferGeometry, shape: Shape, raise: number): BufferGeometry {
  const [w, x, y, z] = shape.quaternion ?? [1, 0, 0, 0];
  return geometry.applyMatrix4(new Matrix4().compose(vec(shape.at ?? [0, 0, 0], raise), new Quaternion(x, y, z, w), new Vector3(1, 1, 1)));
}

function polyline(build: Build, shape: Shape, body: number, color: string, raise: number): void {
  const points = (shape.points ?? []).map((p) => new Vector3(...p));
  if (points.length < 2) return;
  if (!shape.radius) {
    const line = new Line(placed(new BufferGeometry().setFromPoints(points), shape, raise), new LineBasicMaterial({ color }));
    build.parts.attach(body < 0 ? 'ground' : 'bodies', body, line);
    return;
  }
  const path = new CurvePath<Vector3>();
  for (let i = 1; i < points.length; i++) if (points[i].distanceTo(points[i - 1]) > 0) path.add(new LineCurve3(points[i - 1], points[i]));
  const smooth = points.length > 12 ? new CatmullRomCurve3(points) : path;
  const tube = new TubeGeometry(smooth as never, Math.min(2000, 6 * points.length), shape.radius, 10);
  build.parts.piece(body < 0 ? 'ground' : 'bodies', body, placed(tube, shape, raise), color, pieces(build));
}

function mesh(build: Build, shape: Shape): BufferGeometry | null {
  if (shape.vertices == null || shape.triangles == null) return null;
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(build.blocks.get(shape.vertices)), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(build.blocks.get(shape.triangles)), 1));
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/* Pieces bring colours at their vertices, parts one colour each: two materials that look alike. */
function pieces(build: Build): MeshLambertMaterial {
  return build.parts.material.userData.pieces as MeshLambertMaterial;
}

const makers: Record<string, (build: Build, shape: Shape) => BufferGeometry | null> = {
  capsule: (_, s) => new CapsuleGeometry(s.radius ?? 0, s.length ?? 0, 8, 20).rotateX(Math.PI / 2),
  plate: (_, s) => {
    if ((s.outline?.length ?? 0) < 3) return null;
    const depth = s.thickness ?? 0;
    const flat = new Outline(s.outline!.map((p) => new Vector2(p[0], p[1])));
    if (s.hole) flat.holes.push(new Path(s.hole.map((p) => new Vector2(p[0], p[1]))));
    return new ExtrudeGeometry(flat, { depth, bevelEnabled: false }).translate(0, 0, -depth / 2);
  },
  mesh,
};

/* A shape of the model, in the axes of its body. */
export function addShape(build: Build, shape: Shape, body: number): void {
  const layer = body < 0 ? 'ground' : 'bodies';
  const color = (!build.tint && (build.scene.view?.colors[body] || shape.color)) || (body < 0 ? STEEL : colorOf(build, body));
  const raise = 0;
  const [w, x, y, z] = shape.quaternion ?? [1, 0, 0, 0];
  const turn = new Quaternion(x, y, z, w);
  const at = vec(shape.at ?? [0, 0, 0]);
  const r = shape.radius ?? 0;
  if (shape.kind === 'box') build.parts.add(layer, 'box', body, at, turn, vec(shape.size ?? [1, 1, 1]), color);
  else if (shape.kind === 'sphere') build.parts.ball(layer, body, at, r, color);
  else if (shape.kind === 'cylinder') build.parts.add(layer, 'cylinder', body, at, turn, new Vector3(r, r, shape.length ?? 0), color);
  else if (shape.kind === 'polyline') polyline(build, shape, body, color, raise);
  else {
    const geometry = Object.hasOwn(makers, shape.kind) ? makers[shape.kind](build, shape) : null;
    if (geometry) build.parts.piece(layer, body, placed(geometry, shape, raise), color, pieces(build));
  }
}

/* A bar: flat with round ends in the plane, a capsule in space. */
export function addBar(build: Build, body: number, a: Vector3, b: Vector3, color: string, width = build.extent.unit): void {
  const { parts } = build;
  if (!build.planar) {
    parts.rod('bodies', body, a, b, width, color);
    parts.ball('bodies', body, a, width, color);
    parts.ball('bodies', body, b, width, color);
    return;
  }
  const along = b.clone().sub(a);
  const length = along.length();
  if (length > 0)
    parts.add('bodies', 'box', body, a.clone().add(b).multiplyScalar(0.5), turnTo(along.divideScalar(length), new Vector3(0, 0, 1)),
      new Vector3(length, 2 * width, build.thickness), color);
  for (const end of [a, b]) parts.disc('bodies', body, end, new Vector3(0, 0, 1), width, build.thickness, color);
}

/* Corners of the convex hull, in order: Andrew's monotone chain. */
function hull(points: Vector2[]): Vector2[] {
  const sorted = points.slice().sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (list: Vector2[]) => {
    const chain: Vector2[] = [];
    for (const p of list) {
      while (chain.length > 1) {
        const [a, b] = [chain[chain.length - 2], chain[chain.length - 1]];
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/* Two or more points: along a line, in a plane, or neither. */
function web(build: Build, body: number, points: Vector3[], center: Vector3, color: string): void {
  let a = points[0], b = points[1], longest = 0;
  for (const p of points) for (const q of points) if (p.distanceTo(q) > longest) { longest = p.distanceTo(q); a = p; b = q; }
  const x = b.clone().sub(a).normalize();
  let normal = new Vector3();
  for (const p of points) {
    const n = new Vector3().crossVectors(x, p.clone().sub(a));
    if (n.length() > normal.length()) normal = n;
  }
  if (normal.length() < 0.02 * longest) return addBar(build, body, a, b, color);
  normal.normalize();
  if (points.some((p) => Math.abs(p.clone().sub(a).dot(normal)) > 0.02 * longest)) {
    const middle = build.scene.bodies[body].mass ? center : points.reduce((s, p) => s.add(p), new Vector3()).divideScalar(points.length);
    for (const p of points) addBar(build, body, middle, p, color, 0.8 * build.extent.unit);
    return;
  }
  if (build.planar) normal.set(0, 0, 1);
  const y = new Vector3().crossVectors(normal, x);
  const corners = hull(points.map((p) => new Vector2(p.clone().sub(a).dot(x), p.clone().sub(a).dot(y))));
  const back = (c: Vector2) => a.clone().addScaledVector(x, c.x).addScaledVector(y, c.y);
  corners.forEach((c, i) => addBar(build, body, back(c), back(corners[(i + 1) % corners.length]), color));
  const depth = (build.planar ? build.thickness : build.extent.unit) * 0.6;
  const plate = new ExtrudeGeometry(new Outline(corners), { depth, bevelEnabled: false }).translate(0, 0, -depth / 2);
  plate.applyMatrix4(new Matrix4().makeBasis(x, y, normal).setPosition(a));
  build.parts.piece('bodies', body, plate, color, pieces(build));
}

/* A wheel about an axis, with a spoke that shows it turning. */
export function addWheel(build: Build, body: number, at: Vector3, axis: Vector3, radius: number, height: number, color: string): void {
  build.parts.disc('bodies', body, at, axis, radius, height, color);
  const turn = turnTo(new Vector3(axis.y, axis.z, axis.x).cross(axis).normalize(), axis);
  build.parts.add('bodies', 'box', body, at, turn, new Vector3(1.7 * radius, 0.09 * radius, 1.06 * height), STEEL);
}

const SMALL_BLOCK = 5; // half widths of a bar

function boxOf(build: Build, box: InertiaBox, index: number, at: Vector3, color: string, least: number): Vector3 {
  const column = (k: number) => new Vector3(box.axes[0][k], box.axes[1][k], box.axes[2][k]);
  const z = new Vector3().crossVectors(column(0), column(1));
  const turn = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(column(0), column(1), z));
  const scale = new Vector3(...box.size);
  const most = SMALL_BLOCK * build.extent.unit, longest = Math.max(...box.size);
  if (isMachine(build.scene) && longest > most) scale.multiplyScalar(most / longest); // a block of that form that hides nothing
  scale.max(new Vector3(least, least, least));
  if (build.planar) scale.z = build.thickness;
  build.parts.add('bodies', 'box', index, at, turn, scale, color);
  return scale;
}

/* The box of the inertia, and the axes of the body. */
function inertia(build: Build, body: Body, index: number, color: string, least: number): void {
  const box = inertiaBox(body, build.planar) ?? { size: [6 * least, 4 * least, 3 * least], axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] };
  const at = vec(body.center, lift(build, index));
  const scale = boxOf(build, box, index, at, color, least);
  const arms = ['#c9605a', '#5a9f68', '#4f7fb5'];
  for (let k = 0; k < (build.planar ? 2 : 3); k++) {
    const tip = at.clone().addScaledVector(new Vector3().setComponent(k, 1), 0.5 * Math.max(...scale.toArray()) + 2.5 * least);
    build.parts.rod('bodies', index, at, tip, 0.22 * least, arms[k]);
  }
}

/* The one point of a body off its centre: a rod of that inertia if it can be one, otherwise a bar with a weight. */
function hung(build: Build, body: Body, index: number, at: Vector3, center: Vector3, color: string): void {
  const unit = build.extent.unit;
  const arm = center.clone().sub(at), length = arm.length(), box = inertiaBox(body, build.planar);
  const tip = rodEnd(body, build.planar, at, center);
  if (tip) {
    addBar(build, index, at, tip, color);
    if (tip.distanceTo(center) < 0.2 * length) weight(build, index, center, color);
    return;
  }
  addBar(build, index, at, center, color);
  if (box && !build.planar) {
    const scale = new Vector3(...box.size).max(new Vector3(unit, unit, unit));
    if (Math.max(...box.size) < 6 * length) return inertia(build, body, index, color, unit);
    build.parts.ball('bodies', index, center, Math.min(scale.length() / 2, 0.5 * length), color);
  } else weight(build, index, center, color, box ? Math.min(box.size[0] / Math.sqrt(3), 0.7 * length) : undefined);
}

function weight(build: Build, body: number, at: Vector3, color: string, radius = 2.4 * build.extent.unit): void {
  if (build.planar) build.parts.disc('bodies', body, at, new Vector3(0, 0, 1), radius, 1.05 * build.thickness, color);
  else build.parts.ball('bodies', body, at, radius, color);
}

/* Planar wheels on one axle would hide one another: the largest first, the others are drawn smaller and thicker. */
function coaxial(build: Build, index: number): number[] {
  const { scene } = build, own = axleWheel(scene, index)!;
  if (!build.planar) return [index];
  const hub = (side: Side) => scene.joints.flatMap((joint) => (joint.sides.includes(side) ? joint.sides.filter((s) => s !== side).map((s) => `${s.body} ${s.at.join(' ')}`) : []))[0];
  const bare = (body: Body, k: number) => !body.shapes.length && !body.particle && !attached(scene, k).some((p) => distance(p, body.center) > 0.5 * build.extent.unit);
  const others = scene.bodies.flatMap((body, k) => {
    const wheel = k === index ? own : bare(body, k) ? axleWheel(scene, k) : null;
    return wheel && hub(wheel.side) === hub(own.side) ? [{ k, radius: wheel.radius }] : [];
  });
  return others.sort((a, b) => b.radius - a.radius).map(({ k }) => k);
}

/* A body whose points all lie at its centre: what its joints make of it. */
function compact(build: Build, body: Body, index: number, color: string): void {
  const unit = build.extent.unit;
  if (drawnByJoint(build.scene, index)) return;
  const wheel = axleWheel(build.scene, index);
  if (!wheel) return inertia(build, body, index, color, unit);
  const among = coaxial(build, index), rank = among.indexOf(index);
  const widest = Math.max(...among.map((k) => axleWheel(build.scene, k)!.radius), 2.5 * unit);
  const alone = Math.min(Math.max(among.length > 1 ? widest : wheel.radius, 2.5 * unit), Math.max(build.extent.wheel, 2.5 * unit));
  const share = (rank + 1) / among.length, thick = build.planar ? build.thickness * (among.length > 1 ? 0.4 + 0.6 * share : 1) : 1.2 * unit;
  addWheel(build, index, vec(wheel.side.at, lift(build, index)), wheel.axis, alone * (1 - (0.7 * rank) / among.length), thick, color);
}

export function addBody(build: Build, index: number): void {
  const body = build.scene.bodies[index];
  const unit = build.extent.unit;
  const color = colorOf(build, index);
  const raise = lift(build, index);
  const center = vec(body.center, raise);
  if (body.shapes.length) for (const shape of body.shapes) addShape(build, shape, index);
  else if (body.particle) build.parts.ball('bodies', index, center, 2.6 * unit, color);
  else {
    const points = attached(build.scene, index).map((p) => vec(p, raise));
    const span = Math.max(0, ...points.map((p) => Math.max(...points.map((q) => p.distanceTo(q)))));
    if (points.length >= 2 && span > 0.5 * unit) web(build, index, points, center, color);
    else if (points.length && points[0].distanceTo(center) > 0.5 * unit) hung(build, body, index, points[0], center, color);
    else compact(build, body, index, color);
  }
  addCenter(build, index, center);
}

/* The mark of a centre of mass; of particles it would only hide them. */
function addCenter(build: Build, index: number, center: Vector3): void {
  const body = build.scene.bodies[index];
  if (body.particle || build.tint) return;
  const at = center.clone();
  if (build.planar) at.z = build.front;
  const r = 0.42 * build.extent.unit;
  if (build.planar) build.parts.disc('centers', index, at, new Vector3(0, 0, 1), r, 0.3 * r, CENTER);
  else for (const p of [-1, 1]) build.parts.ball('centers', index, at, r * (p > 0 ? 1 : 0.99), CENTER);
}
