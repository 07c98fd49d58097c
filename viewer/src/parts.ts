/* Parts: simple bodies, many of each, drawn together. A mechanism of hundreds of bodies is a dozen calls of the graphics library. */

import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, type Material,
  Matrix4, Mesh, Object3D, Quaternion, Sphere, SphereGeometry, TorusGeometry, Vector3,
} from 'three';

export type Kind = 'box' | 'cylinder' | 'sphere' | 'cone' | 'wedge' | 'ring';
export type Layer = 'bodies' | 'joints' | 'centers' | 'ground';

/* A triangle with its tip at the origin and its base at y = -1, one unit thick: the foot of a hinge. */
function wedge(): BufferGeometry {
  const flat = new CylinderGeometry(1, 1, 1, 3).rotateX(Math.PI / 2).rotateZ(Math.PI);
  flat.computeBoundingBox();
  const box = flat.boundingBox!;
  return flat.translate(0, -box.max.y, 0).scale(1 / (box.max.x - box.min.x), 1 / (box.max.y - box.min.y), 1);
}

const made = new Map<string, BufferGeometry>();
const makers: Record<Kind, (sides: number) => BufferGeometry> = {
  box: () => new BoxGeometry(1, 1, 1),
  cylinder: (n) => new CylinderGeometry(1, 1, 1, n > 30 ? 2 * n : n).rotateX(Math.PI / 2),
  sphere: (n) => new SphereGeometry(1, n, (2 * n) / 3),
  cone: (n) => new ConeGeometry(1, 1, n).rotateX(Math.PI / 2).translate(0, 0, 0.5),
  wedge,
  ring: (n) => new TorusGeometry(1, 0.22, n / 3, 1.5 * n),
};

/* Unit bodies about the origin; cylinders, cones and rings about z. Shared by all scenes of the page; where there are many, each is small and coarser. */
export function geometry(kind: Kind, count = 1): BufferGeometry {
  const sides = count > 150 ? 9 : count > 40 ? 15 : 36;
  const key = `${kind} ${sides}`;
  let found = made.get(key);
  if (!found) made.set(key, (found = makers[kind](sides)));
  return found;
}

/* How a body is seen. */
export type Look = 'shown' | 'transparent' | 'hidden';

/* Of two materials that look alike, the one through which others are seen. */
function ghostOf(material: Material): Material {
  let ghost = material.userData.ghost as Material | undefined;
  if (!ghost) {
    ghost = material.clone();
    ghost.userData = {};
    ghost.transparent = true;
    ghost.opacity = 0.25;
    ghost.depthWrite = false;
    material.userData.ghost = ghost;
  }
  return ghost;
}

/* What is nearly black is lifted on a dark ground, where it would not be seen. */
const LEAST_LIGHT = 0.11;
const shade = new Color(), lifted = new Color('#6b7480');
function onGround(color: Color, dark: boolean): Color {
  const light = 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b;      // linear, as three.js keeps colours
  return dark && light < LEAST_LIGHT ? shade.copy(color).lerp(lifted, 1 - light / LEAST_LIGHT) : color;
}

const EVERYWHERE = new Sphere(new Vector3(), Infinity);
const Z = new Vector3(0, 0, 1);

interface Part { body: number; matrix: Matrix4; color: Color }

class Batch {
  readonly mesh: InstancedMesh;
  private readonly local: Float32Array;
  readonly owner: Int32Array;
  private readonly colors: Color[];
  private ghost: InstancedMesh | null = null;

  constructor(private readonly kind: Kind, parts: Part[], private readonly material: Material, private readonly bodies: number) {
    this.mesh = new InstancedMesh(geometry(kind, parts.length), material, parts.length);
    this.mesh.frustumCulled = false;
    this.mesh.boundingSphere = EVERYWHERE;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.local = new Float32Array(16 * parts.length);
    this.owner = new Int32Array(parts.length);
    parts.forEach((part, i) => {
      part.matrix.toArray(this.local, 16 * i);
      this.owner[i] = part.body;
      this.mesh.setColorAt(i, part.color);
    });
    this.mesh.userData.owner = this.owner;
    this.colors = parts.map((part) => part.color);
  }

  tint(dark: boolean): void {
    for (const mesh of this.ghost ? [this.mesh, this.ghost] : [this.mesh]) {
      this.colors.forEach((color, i) => mesh.setColorAt(i, onGround(color, dark)));
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  /* Transparent parts are drawn by a second mesh; each part has no size in the mesh that does not draw it. */
  makeGhost(dark: boolean): void {
    if (this.ghost) return;
    this.ghost = new InstancedMesh(geometry(this.kind, this.owner.length), ghostOf(this.material), this.owner.length);
    this.ghost.frustumCulled = false;
    this.ghost.boundingSphere = EVERYWHERE;
    this.ghost.instanceMatrix.setUsage(DynamicDrawUsage);
    this.ghost.userData.owner = this.owner;
    this.mesh.parent?.add(this.ghost);
    this.tint(dark);
  }

  /* W = (R | p) L, column by column */
  update(places: Float64Array, looks: Look[]): void {
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const local = this.local;
    for (let i = 0; i < this.owner.length; i++) {
      const o = 12 * (this.owner[i] < 0 ? this.bodies : this.owner[i]);
      for (let c = 0; c < 4; c++) {
        const k = 16 * i + 4 * c;
        const x = local[k], y = local[k + 1], z = local[k + 2], w = local[k + 3];
        out[k] = places[o] * x + places[o + 1] * y + places[o + 2] * z + places[o + 3] * w;
        out[k + 1] = places[o + 4] * x + places[o + 5] * y + places[o + 6] * z + places[o + 7] * w;
        out[k + 2] = places[o + 8] * x + places[o + 9] * y + places[o + 10] * z + places[o + 11] * w;
        out[k + 3] = w;
      }
    }
    this.separate(looks, out);
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  private separate(looks: Look[], out: Float32Array): void {
    const other = this.ghost?.instanceMatrix.array as Float32Array | undefined;
    other?.fill(0);
    for (let i = 0; i < this.owner.length; i++) {
      const look = this.owner[i] < 0 ? 'shown' : looks[this.owner[i]];
      if (look === 'shown') continue;
      if (look === 'transparent') other?.set(out.subarray(16 * i, 16 * i + 16), 16 * i);
      out.fill(0, 16 * i, 16 * i + 16);
    }
    if (this.ghost) this.ghost.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.dispose();
    this.ghost?.dispose();
  }
}

/* A single geometry of its own that goes with a body. */
interface Piece { body: number; object: Object3D }

export class Parts {
  readonly groups: Record<Layer, Group> = { bodies: new Group(), joints: new Group(), centers: new Group(), ground: new Group() };
  private readonly lists = new Map<string, { layer: Layer; kind: Kind; parts: Part[] }>();
  private readonly pieces: Piece[] = [];
  private batches: Batch[] = [];
  readonly looks: Look[];
  private dark = false;

  constructor(private readonly bodies: number, readonly material: Material) {
    this.looks = new Array<Look>(bodies).fill('shown');
  }

  /* How a body is seen from now on. */
  look(body: number, look: Look): void {
    this.looks[body] = look;
    if (look === 'transparent') for (const batch of this.batches) if (batch.owner.includes(body)) batch.makeGhost(this.dark);
    for (const piece of this.pieces) {
      if (piece.body !== body) continue;
      piece.object.visible = look !== 'hidden';
      const mesh = piece.object as Mesh;
      const opaque = (mesh.userData.opaque ??= mesh.material) as Material;
      mesh.material = look === 'transparent' ? ghostOf(opaque) : opaque;
    }
  }

  tint(dark: boolean): void {
    this.dark = dark;
    for (const batch of this.batches) batch.tint(dark);
    for (const { object } of this.pieces) {
      const color = object.userData.color as Color | undefined;
      const colors = (object as Mesh).geometry?.getAttribute('color') as BufferAttribute | undefined;
      if (!color || !colors) continue;
      const seen = onGround(color, dark);
      for (let i = 0; i < colors.count; i++) colors.setXYZ(i, seen.r, seen.g, seen.b);
      colors.needsUpdate = true;
    }
  }

  add(layer: Layer, kind: Kind, body: number, at: Vector3, turn: Quaternion, scale: Vector3, color: string): void {
    const key = `${layer} ${kind}`;
    let list = this.lists.get(key);
    if (!list) this.lists.set(key, (list = { layer, kind, parts: [] }));
    list.parts.push({ body, matrix: new Matrix4().compose(at, turn, scale), color: new Color(color) });
  }

  ball(layer: Layer, body: number, at: Vector3, radius: number, color: string): void {
    this.add(layer, 'sphere', body, at, new Quaternion(), new Vector3(radius, radius, radius), color);
  }

  /* A round bar from a to b. */
  rod(layer: Layer, body: number, a: Vector3, b: Vector3, radius: number, color: string): void {
    const along = b.clone().sub(a);
    const length = along.length();
    if (!(length > 0)) return;
    const turn = new Quaternion().setFromUnitVectors(Z, along.divideScalar(length));
    this.add(layer, 'cylinder', body, a.clone().add(b).multiplyScalar(0.5), turn, new Vector3(radius, radius, length), color);
  }

  /* A cylinder about `axis`, its middle at `at`. */
  disc(layer: Layer, body: number, at: Vector3, axis: Vector3, radius: number, height: number, color: string): void {
    this.add(layer, 'cylinder', body, at, new Quaternion().setFromUnitVectors(Z, axis), new Vector3(radius, radius, height), color);
  }

  piece(layer: Layer, body: number, shape: BufferGeometry, color: string, material: Material): void {
    const mesh = new Mesh(shape, material);
    const colors = new Float32Array(shape.getAttribute('position').count * 3);
    const c = new Color(color);
    for (let i = 0; i < colors.length; i += 3) c.toArray(colors, i);
    shape.setAttribute('color', new BufferAttribute(colors, 3));
    mesh.userData.color = c;
    this.attach(layer, body, mesh);
  }

  attach(layer: Layer, body: number, object: Object3D): void {
    object.matrixAutoUpdate = false;
    object.frustumCulled = false;
    object.userData.body = body;
    this.groups[layer].add(object);
    this.pieces.push({ body, object });
  }

  finish(): void {
    for (const { layer, kind, parts } of this.lists.values()) {
      const batch = new Batch(kind, parts, this.material, this.bodies);
      this.groups[layer].add(batch.mesh);
      this.batches.push(batch);
    }
    this.lists.clear();
  }

  update(places: Float64Array): void {
    for (const batch of this.batches) batch.update(places, this.looks);
    for (const { body, object } of this.pieces) {
      const o = 12 * (body < 0 ? this.bodies : body);
      const p = places;
      object.matrix.set(p[o], p[o + 1], p[o + 2], p[o + 3], p[o + 4], p[o + 5], p[o + 6], p[o + 7], p[o + 8], p[o + 9], p[o + 10], p[o + 11], 0, 0, 0, 1);
      object.matrixWorldNeedsUpdate = true;
    }
  }

  dispose(): void {
    for (const batch of this.batches) batch.dispose();
    for (const { object } of this.pieces) (object as Mesh).geometry?.dispose();
  }
}
