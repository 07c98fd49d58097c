/* The camera: it looks at a target from an azimuth, an elevation and a distance about the upward axis. Flat, it is orthographic and drags move the picture;
 * in space, drags turn it. Fingers and mouse do the same things. */

import { Box3, OrthographicCamera, PerspectiveCamera, Quaternion, Vector3 } from 'three';

const FIELD = 32;      // degrees, vertical

export interface Pose { target: number[]; azimuth: number; elevation: number; distance: number; flat: boolean }

export class View {
  readonly target = new Vector3();
  azimuth = 0;
  elevation = 0;
  distance = 10;
  flat: boolean;
  aspect = 1;
  head = 0;      // share of the picture's height that buttons cover
  private readonly perspective = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  private readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, -100, 100);
  private readonly upright = new Quaternion();       // turns z to the upward axis of the model
  private readonly away = new Vector3();
  private readonly x = new Vector3();
  private readonly y = new Vector3();

  constructor(private readonly planar: boolean, private readonly up: Vector3, private readonly size: number) {
    this.flat = planar;
    if (!planar) this.upright.setFromUnitVectors(new Vector3(0, 0, 1), up);
    this.home();
  }

  home(): void {
    this.azimuth = this.planar ? 0 : -Math.PI / 3;
    this.elevation = this.planar ? 0 : 0.36;
    this.flat = this.planar;
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.flat ? this.orthographic : this.perspective;
  }

  /* The direction from the target to the eye. Planar: azimuth and elevation are counted from the normal of the plane. */
  private aim(): void {
    const { azimuth: a, elevation: e } = this;
    if (this.planar) {
      this.away.set(Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e));
      this.y.set(0, 1, 0);
    } else {
      this.away.set(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e)).applyQuaternion(this.upright);
      this.y.copy(this.up);
    }
    this.x.crossVectors(this.y, this.away).normalize();
    this.y.crossVectors(this.away, this.x);
  }

  update(): void {
    this.aim();
    const camera = this.camera;
    const reach = Math.max(this.distance, this.size) * 20;
    camera.up.copy(this.y);
    if (camera instanceof PerspectiveCamera) {
      camera.aspect = this.aspect;
      camera.near = this.distance / 200;
      camera.far = reach;
    } else {
      const half = this.distance * Math.tan((FIELD * Math.PI) / 360);
      camera.top = half;
      camera.bottom = -half;
      camera.right = half * this.aspect;
      camera.left = -camera.right;
      camera.near = -reach;
      camera.far = reach;
    }
    camera.position.copy(this.target).addScaledVector(this.away, this.distance);
    camera.lookAt(this.target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  /* As near as all corners of the box allow, below the head. */
  fit(box: Box3): void {
    this.aim();
    box.getCenter(this.target);
    const tan = Math.tan((FIELD * Math.PI) / 360);
    const corner = new Vector3();
    let need = 0;
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(this.target);
      const towards = this.flat ? 0 : corner.dot(this.away);
      need = Math.max(need, Math.abs(corner.dot(this.y)) / tan / (1 - this.head) + towards, Math.abs(corner.dot(this.x)) / tan / this.aspect + towards);
    }
    this.distance = Math.max(need, 1e-9) * 1.12;
    this.target.addScaledVector(this.y, this.head * this.distance * tan);
  }

  /* The same for points: their picture fills the view, with room for bars of half width `rim` about them. */
  fitPoints(points: ArrayLike<number>, rim: number): void {
    this.aim();
    const tan = Math.tan((FIELD * Math.PI) / 360);
    const p = new Vector3();
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const axes = [this.x, this.y, this.away];
    for (let i = 0; i + 2 < points.length; i += 3) {
      p.set(points[i], points[i + 1], points[i + 2]);
      axes.forEach((axis, k) => { const s = p.dot(axis); low[k] = Math.min(low[k], s - rim); high[k] = Math.max(high[k], s + rim); });
    }
    if (!(high[0] > low[0])) return;
    this.target.set(0, 0, 0);
    axes.forEach((axis, k) => this.target.addScaledVector(axis, (low[k] + high[k]) / 2));
    let need = 0;
    for (let i = 0; i + 2 < points.length; i += 3) {
      p.set(points[i], points[i + 1], points[i + 2]).sub(this.target);
      const towards = this.flat ? 0 : p.dot(this.away);
      need = Math.max(need, (Math.abs(p.dot(this.y)) + rim) / tan / (1 - this.head) + towards, (Math.abs(p.dot(this.x)) + rim) / tan / this.aspect + towards);
    }
    this.distance = Math.max(need, 1e-9) * 1.12;
    this.target.addScaledVector(this.y, this.head * this.distance * tan);
  }

  orbit(dx: number, dy: number): void {
    this.azimuth -= dx;
    this.elevation = Math.min(1.5, Math.max(-1.5, this.elevation + dy));
    if (this.flat && (Math.abs(this.azimuth) > 1e-3 || Math.abs(this.elevation) > 1e-3)) this.flat = false;
  }

  /* By pixels of a picture so many pixels high. */
  pan(dx: number, dy: number, height: number): void {
    const pixel = (2 * this.distance * Math.tan((FIELD * Math.PI) / 360)) / height;
    this.target.addScaledVector(this.x, -dx * pixel).addScaledVector(this.y, dy * pixel);
  }

  /* (x, y) from -1 to 1: the place that keeps still. */
  zoom(factor: number, x: number, y: number): void {
    const half = this.distance * Math.tan((FIELD * Math.PI) / 360) * (1 - factor);
    this.target.addScaledVector(this.x, x * half * this.aspect).addScaledVector(this.y, y * half);
    this.distance *= factor;
  }

  toggleFlat(): void {
    if (this.planar && !this.flat) { this.azimuth = this.elevation = 0; this.flat = true; }
    else if (this.planar) { this.flat = false; this.azimuth = -0.5; this.elevation = 0.35; }
    else this.flat = !this.flat;
  }

  /* From the front, the side, above. */
  face(azimuth: number, elevation: number): void {
    this.azimuth = azimuth;
    this.elevation = elevation;
  }

  /* Seen from a direction in world axes, in space. */
  from(direction: [number, number, number]): void {
    const d = new Vector3(...direction).normalize();
    if (this.planar) {
      this.elevation = Math.asin(Math.min(1, Math.max(-1, d.y)));
      this.azimuth = Math.atan2(d.x, d.z);
    } else {
      d.applyQuaternion(this.upright.clone().invert());
      this.elevation = Math.min(1.5, Math.max(-1.5, Math.asin(Math.min(1, Math.max(-1, d.z)))));
      this.azimuth = Math.atan2(d.y, d.x);
    }
    this.flat = false;
  }

  get(): Pose {
    return { target: this.target.toArray(), azimuth: this.azimuth, elevation: this.elevation, distance: this.distance, flat: this.flat };
  }

  set(pose: Pose): void {
    this.target.fromArray(pose.target);
    this.azimuth = pose.azimuth;
    this.elevation = pose.elevation;
    this.distance = pose.distance;
    this.flat = pose.flat;
  }
}

/* Mouse: drag turns (flat: moves), with shift or the right button moves, wheel zooms. Fingers: one drags, two move and zoom. */
export function control(element: HTMLElement, view: View, changed: () => void, picked: (x: number, y: number) => void): void {
  const fingers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  element.addEventListener('contextmenu', (event) => event.preventDefault());
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = 0;
  });
  element.addEventListener('pointermove', (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const dx = event.clientX - last.x, dy = event.clientY - last.y;
    moved += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 2) pinch(event, dx, dy);
    else if (view.flat !== (event.shiftKey || event.buttons === 2 || event.buttons === 4)) view.pan(dx, dy, element.clientHeight);
    else view.orbit(dx * 0.008, dy * 0.008);
    last.x = event.clientX;
    last.y = event.clientY;
    changed();
  });
  const pinch = (event: PointerEvent, dx: number, dy: number) => {
    const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)![1];
    const mine = fingers.get(event.pointerId)!;
    const before = Math.hypot(mine.x - other.x, mine.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    view.pan(dx / 2, dy / 2, element.clientHeight);
    if (after > 1) view.zoom(Math.min(2, Math.max(0.5, before / after)), 0, 0);
  };
  const lift = (event: PointerEvent) => {
    if (fingers.delete(event.pointerId) && moved < 4 && event.type === 'pointerup') picked(event.clientX, event.clientY);
  };
  element.addEventListener('pointerup', lift);
  element.addEventListener('pointercancel', lift);
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = element.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1, y = 1 - ((event.clientY - box.top) / box.height) * 2;
    view.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.003), x, y);
    changed();
  }, { passive: false });
}
