/* The stage: renderer, light, grid, mechanisms, camera. It draws when something changed, and only then. */

import {
  Box3, BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, type Object3D, Quaternion, Raycaster,
  Scene as World, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { upOf } from './build';
import { View } from './camera';
import type { Scene } from './data';
import type { Extent } from './extent';
import type { Mechanism } from './mechanism';

const TOOLBAR = 48;      // pixels

export interface Tones { back: string; grid: string }

export function light(world: World): DirectionalLight {
  world.add(new HemisphereLight('#ffffff', '#9a9ea8', 2.0));
  const sun = new DirectionalLight('#ffffff', 1.7);
  world.add(sun, sun.target);
  return sun;
}

/* The light comes over the left shoulder of whoever looks. */
export function aimLight(sun: DirectionalLight, view: View): void {
  const camera = view.camera;
  sun.position.set(-0.45, 0.75, 1).applyQuaternion(camera.quaternion).add(view.target);
  sun.target.position.copy(view.target);
  sun.target.updateMatrixWorld();
}

function corners(extent: Extent): Box3 {
  const box = new Box3(new Vector3(...extent.low), new Vector3(...extent.high));
  return box.expandByScalar(4.5 * extent.unit);
}

/* The surroundings of something that travels far. */
function about(size: number): Box3 {
  const half = 0.55 * size;
  return new Box3(new Vector3(-half, -half, -half), new Vector3(half, half, half));
}

/* The camera shows the whole motion; of what travels far, its surroundings. */
export function frame(view: View, extent: Extent): void {
  if (extent.roams || !extent.cloud.length) view.fit(extent.roams ? about(extent.size) : corners(extent));
  else view.fitPoints(extent.cloud, 2 * extent.unit);
}

/* A length of 1, 2 or 5 times a power of ten. */
export function round(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const lead = length / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/* Lines in a plane: behind a planar mechanism, under a spatial one. */
export function makeGrid(scene: Scene, extent: Extent, color: string): LineSegments {
  const planar = scene.space === 'planar';
  const up = planar ? new Vector3(0, 0, 1) : upOf(scene);
  const step = round((extent.roams ? extent.size : extent.path) / 8);
  const half = extent.roams ? 12 * step : Math.ceil((planar ? 1.6 : 0.9) * extent.path / step) * step;
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
  const points: number[] = [];
  const shift = [0, 1].map((k) => (planar ? -(((extent.origin[k] % step) + step) % step) : 0));
  for (let s = -half; s <= half + step / 2; s += step) {
    points.push(s + shift[0], -half, 0, s + shift[0], half, 0);
    points.push(-half, s + shift[1], 0, half, s + shift[1], 0);
  }
  const grid = new LineSegments(new BufferGeometry().setAttribute('position', new Float32BufferAttribute(points, 3)), new LineBasicMaterial({ color }));
  grid.quaternion.copy(turn);
  const lowest = new Box3(new Vector3(...extent.low), new Vector3(...extent.high));
  const depth = planar ? -6 * extent.unit : lowestAlong(lowest, up) - 0.3 * extent.unit;
  grid.position.copy(up).multiplyScalar(depth);
  grid.renderOrder = -1;
  grid.userData.step = step;
  return grid;
}

function lowestAlong(box: Box3, up: Vector3): number {
  let low = Infinity;
  for (let i = 0; i < 8; i++) low = Math.min(low, new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).dot(up));
  return low;
}

export class Stage {
  readonly world = new World();
  readonly view: View;
  readonly mechanisms: Mechanism[] = [];
  readonly renderer: WebGLRenderer;
  readonly grid: LineSegments;
  readonly frameTimes: number[] = [];
  afterDraw: () => void = () => undefined;
  private readonly sun: DirectionalLight;
  readonly floats: boolean;      // in empty space there is no floor
  private readonly alongGrid: Vector3[];
  private readonly shift = new Vector3();
  private readonly raycaster = new Raycaster();
  private drawn = 0;
  private width = 0;
  private height = 0;

  constructor(readonly canvas: HTMLCanvasElement, scene: Scene, readonly extent: Extent, tones: Tones) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.view = new View(scene.space === 'planar', upOf(scene), extent.size);
    this.sun = light(this.world);
    this.grid = makeGrid(scene, extent, tones.grid);
    this.world.add(this.grid);
    this.floats = scene.space === 'spatial' && extent.roams && scene.gravity.every((g) => g === 0);
    this.alongGrid = [new Vector3(1, 0, 0), new Vector3(0, 1, 0)].map((axis) => axis.applyQuaternion(this.grid.quaternion));
    this.tint(tones);
  }

  tint(tones: Tones, dark = false): void {
    for (const mechanism of this.mechanisms) mechanism.parts.tint(dark);
    this.world.background = new Color(tones.back);
    (this.grid.material as LineBasicMaterial).color.set(tones.grid);
  }

  add(mechanism: Mechanism): void {
    this.mechanisms.push(mechanism);
    this.world.add(mechanism.group);
  }

  resize(width: number, height: number): boolean {
    if (width === this.width && height === this.height) return false;
    this.width = width;
    this.height = height;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.view.aspect = width / Math.max(1, height);
    this.view.head = Math.min(0.2, TOOLBAR / Math.max(1, height));
    return true;
  }

  fit(): void {
    frame(this.view, this.extent);
  }

  draw(now: number): void {
    this.view.update();
    aimLight(this.sun, this.view);
    this.renderer.render(this.world, this.view.camera);
    if (this.drawn) {
      this.frameTimes.push((now - this.drawn) / 1000);
      if (this.frameTimes.length > 240) this.frameTimes.shift();
    }
    this.drawn = now;
    this.afterDraw();
  }

  /* Under something that travels far the grid goes along, by whole meshes. */
  shiftGrid(): void {
    const step = this.grid.userData.step as number;
    for (const axis of this.alongGrid) {
      const off = this.shift.subVectors(this.view.target, this.grid.position).dot(axis);
      this.grid.position.addScaledVector(axis, Math.round(off / step) * step);
    }
  }

  /* After a pause the time since the last picture says nothing. */
  rest(): void {
    this.drawn = 0;
  }

  /* The body under a point of the canvas, -1 the ground, null nothing. */
  pick(x: number, y: number): { mechanism: Mechanism; body: number } | null {
    this.raycaster.setFromCamera(new Vector2(x, y), this.view.camera);
    for (const mechanism of this.mechanisms) {
      if (!mechanism.group.visible) continue;
      const hit = this.raycaster.intersectObjects([mechanism.parts.groups.bodies, mechanism.parts.groups.joints], true)[0];
      if (!hit) continue;
      const object: Object3D = hit.object;
      if (object instanceof InstancedMesh && hit.instanceId !== undefined) return { mechanism, body: object.userData.owner[hit.instanceId] };
      if (object.userData.body !== undefined) return { mechanism, body: object.userData.body };
    }
    return null;
  }

  /* Pixels from the upper left corner; false when behind the eye. */
  project(p: Vector3, out: { x: number; y: number }): boolean {
    p.project(this.view.camera);
    out.x = ((p.x + 1) / 2) * this.width;
    out.y = ((1 - p.y) / 2) * this.height;
    return p.z < 1 && p.x > -1.1 && p.x < 1.1 && p.y > -1.1 && p.y < 1.1;
  }
}
