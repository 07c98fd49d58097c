/* What stretches between two points: coils, and dashed lines for rods without a body and for forces. */

import {
  BufferAttribute, BufferGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, type Material, MeshLambertMaterial, Quaternion, Sphere, Vector3,
} from 'three';
import type { Build } from './build';
import type { End } from './data';
import { foot } from './joints';
import { transform } from './motion';
import { REACTION, ROD, SPRING } from './palette';

const EVERYWHERE = new Sphere(new Vector3(), Infinity);
const Z = new Vector3(0, 0, 1);

/* A coil of unit length and radius: its line in `position`, the way from the line to the wire's surface in `normal`. */
function coil(turns: number): BufferGeometry {
  const steps = 18 * turns + 12, around = 6;
  const positions: number[] = [], normals: number[] = [], index: number[] = [];
  const lead = 0.1;
  for (let i = 0; i <= steps; i++) {
    const s = i / steps;
    const inside = Math.min(1, Math.max(0, (s - lead) / (1 - 2 * lead)));
    const angle = 2 * Math.PI * turns * inside;
    const r = Math.min(1, Math.min(s, 1 - s) < lead ? Math.max(0, (Math.min(s, 1 - s) - 0.6 * lead) / (0.4 * lead)) : 1);
    const c = new Vector3(r * Math.cos(angle), r * Math.sin(angle), s);
    const out = new Vector3(Math.cos(angle), Math.sin(angle), 0);
    for (let k = 0; k < around; k++) {
      const a = (2 * Math.PI * k) / around;
      positions.push(c.x, c.y, c.z);
      const straight = r < 0.5;
      const side = straight ? new Vector3(-out.y, out.x, 0) : Z;
      normals.push(out.x * Math.cos(a) + side.x * Math.sin(a), out.y * Math.cos(a) + side.y * Math.sin(a), side.z * Math.sin(a));
    }
  }
  for (let i = 0; i < steps; i++)
    for (let k = 0; k < around; k++) {
      const a = i * around + k, b = i * around + ((k + 1) % around);
      index.push(a, a + around, b, b, a + around, b + around);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(index);
  return geometry;
}

/* The wire keeps its thickness however far the coil is stretched: the way out is divided by the stretch before it is applied. */
function wireMaterial(wire: number, like: Material): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ polygonOffset: like.polygonOffset, polygonOffsetFactor: like.polygonOffsetFactor, polygonOffsetUnits: like.polygonOffsetUnits });
  const stretch = 'vec3 stretch = vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));';
  material.onBeforeCompile = (shader) => {
    shader.uniforms.wire = { value: wire };
    shader.vertexShader = shader.vertexShader
      .replace('void main() {', `uniform float wire;\nvoid main() {\n${stretch}`)
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = normal * stretch;')
      .replace('#include <begin_vertex>', 'vec3 transformed = position + normal * wire / stretch;');
  };
  return material;
}

/* Nine strokes along z, of unit length together. */
function dashes(): BufferGeometry {
  const one = new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  const count = 9, share = 0.62;
  const source = one.toNonIndexed();
  const p = source.getAttribute('position'), n = source.getAttribute('normal');
  const positions = new Float32Array(3 * p.count * count), normals = new Float32Array(3 * p.count * count);
  for (let d = 0; d < count; d++)
    for (let i = 0; i < p.count; i++) {
      const k = 3 * (d * p.count + i);
      positions.set([p.getX(i), p.getY(i), (d + p.getZ(i) * share + (1 - share) / 2) / count], k);
      normals.set([n.getX(i), n.getY(i), n.getZ(i)], k);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  return geometry;
}

let coilGeometry: BufferGeometry | null = null;
let dashGeometry: BufferGeometry | null = null;

/* Many connections of one look: instance i goes from one end to the other. */
class Connections {
  readonly mesh: InstancedMesh;
  private readonly a = new Vector3();
  private readonly b = new Vector3();
  private readonly turn = new Quaternion();
  private readonly along = new Vector3();
  private readonly x = new Vector3();
  private readonly y = new Vector3();

  constructor(geometry: BufferGeometry, material: Material, private readonly pairs: [End, End][], private readonly radius: number, private readonly bodies: number) {
    this.mesh = new InstancedMesh(geometry, material, pairs.length);
    this.mesh.frustumCulled = false;
    this.mesh.boundingSphere = EVERYWHERE;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.userData.still = true;
  }

  update(places: Float64Array): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    for (let i = 0; i < this.pairs.length; i++) {
      transform(places, this.pairs[i][0].body, this.bodies, this.pairs[i][0].at, this.a);
      transform(places, this.pairs[i][1].body, this.bodies, this.pairs[i][1].at, this.b);
      const along = this.along.subVectors(this.b, this.a);
      const length = Math.max(along.length(), 1e-6 * this.radius);
      along.divideScalar(length);
      this.turn.setFromUnitVectors(Z, along);
      this.x.set(this.radius, 0, 0).applyQuaternion(this.turn);
      this.y.set(0, this.radius, 0).applyQuaternion(this.turn);
      const k = 16 * i;
      this.x.toArray(out, k);
      this.y.toArray(out, k + 4);
      along.multiplyScalar(length).toArray(out, k + 8);
      this.a.toArray(out, k + 12);
      out[k + 3] = out[k + 7] = out[k + 11] = 0;
      out[k + 15] = 1;
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export class Springs {
  readonly group = new Group();
  private readonly lists: Connections[] = [];

  constructor(private readonly build: Build) {
    const { scene, extent } = build;
    const coils: [End, End][] = [], rods: [End, End][] = [], pulls: [End, End][] = [];
    for (const joint of scene.joints)
      if (joint.type === 'distance' && joint.sides.length > 1) rods.push([joint.sides[0], joint.sides[1]]);
    for (const force of scene.forces) {
      if (force.type === 'bushing') this.bushing(force.ends);
      else if (force.ends.length >= 2) (force.type === 'spring-damper' ? coils : pulls).push([force.ends[0], force.ends[1]]);
      else if (force.ends.length === 1 && force.type !== 'gravity' && force.type !== 'central-gravity') this.mark(force.ends[0]);
      if (force.type === 'spring-damper') this.ends(force.ends);
    }
    const radius = 1.7 * extent.unit;
    if (coils.length) this.list((coilGeometry ??= coil(9)), wireMaterial(0.24 * extent.unit, build.parts.material), coils, radius, build.tint ?? SPRING);
    if (rods.length) this.list((dashGeometry ??= dashes()), build.parts.material, rods, 0.32 * extent.unit, build.tint ?? ROD);
    if (pulls.length) this.list((dashGeometry ??= dashes()), build.parts.material, pulls, 0.16 * extent.unit, build.tint ?? REACTION);
  }

  private list(geometry: BufferGeometry, material: Material, pairs: [End, End][], radius: number, color: string): void {
    const connections = new Connections(geometry, material, pairs, radius, this.build.scene.bodies.length);
    const c = new MeshLambertMaterial({ color }).color;
    pairs.forEach((_, i) => connections.mesh.setColorAt(i, c));
    this.group.add(connections.mesh);
    this.lists.push(connections);
  }

  /* An eye at each end, and a foot where one is fixed to the ground. */
  private ends(ends: End[]): void {
    ends.forEach((end, i) => {
      this.eye(end);
      if (ends.length === 2) foot(this.build, end, ends[1 - i]);
    });
  }

  private eye(end: End): void {
    if (end.body < 0 && !this.build.statics) return;
    const u = this.build.extent.unit;
    this.build.parts.ball(end.body < 0 ? 'ground' : 'joints', end.body, new Vector3(...end.at), 0.62 * u, this.build.tint ?? SPRING);
  }

  /* Rubber between two frames that usually coincide. */
  private bushing(ends: End[]): void {
    const u = this.build.extent.unit;
    ends.slice(0, 2).forEach((end, i) => {
      if (end.body < 0 && !this.build.statics) return;
      const s = i ? 1.5 * u : 2 * u;
      this.build.parts.disc('joints', end.body, new Vector3(...end.at), this.build.planar ? Z : this.build.up, s, i ? 2.2 * u : 1.2 * u, i ? SPRING : '#3c4653');
    });
  }

  /* A given force acts here. */
  private mark(end: End): void {
    if (end.body < 0 && !this.build.statics) return;
    this.build.parts.ball('joints', end.body, new Vector3(...end.at), 0.8 * this.build.extent.unit, REACTION);
  }

  update(places: Float64Array): void {
    for (const list of this.lists) list.update(places);
  }

  dispose(): void {
    for (const list of this.lists) list.mesh.dispose();
  }
}
