/* What the program wrote into the page, and how it is read: see FORMAT.md.
 * Blocks are decoded when they are first asked for, and once. */

export type Vector = [number, number, number];
export type Numbers = Float64Array | Float32Array | Uint32Array;

export interface Shape {
  kind: 'box' | 'sphere' | 'cylinder' | 'capsule' | 'plate' | 'polyline' | 'mesh';
  at: Vector;
  quaternion: [number, number, number, number];
  color: string | null;
  size?: Vector;
  radius?: number;
  length?: number;
  outline?: [number, number][];
  hole?: [number, number][];      // of a ring gear
  thickness?: number;
  points?: Vector[];
  vertices?: number;
  triangles?: number;
}

export interface Point { name: string; at: Vector }
export interface Body {
  name: string;
  particle: boolean;
  center: Vector;
  mass?: number;
  inertia?: number[];
  points: Point[];
  shapes: Shape[];
}
export interface Side { body: number; at: Vector; axes: number[] }
export interface Joint { name: string; type: string; motion: string; sides: Side[]; redundant: boolean; radius?: number; joints?: number[]; ratio?: number; driven?: boolean }
export interface End { body: number; at: Vector }
export interface Force { name: string; type: string; ends: End[]; free: number | null; joint?: number }
/* What the model wants to be shown first: bodies by number, -1 the ground. */
export interface Wish {
  traces: [number, number][];
  hidden: number[];
  transparent: number[];
  colors: (string | null)[];
  plots: string[][];
  camera?: Vector;
  zoom?: number;
  focus?: number;
}
export interface Scene {
  space: 'planar' | 'spatial';
  gravity: Vector;
  bodies: Body[];
  ground: { points: Point[]; shapes: Shape[] };
  joints: Joint[];
  forces: Force[];
  view?: Wish;
}

export interface Channel { name: string; unit: string; log: boolean; column: number }
export interface Fact { label: string; value: string; unit: string }
export interface Message { severity: 'note' | 'warning' | 'error'; text: string; line?: number; column?: number; code?: string; number?: number }
export interface Series {
  name: string;
  frames: number;
  recorded: number;
  time: number;
  poses: number;
  asked?: number;
  channels: Channel[];
  values: number | null;
  least: number | null;
  most: number | null;
  reactions: number | null;
  velocities: number | null;
  error: number | null;
  evidence?: Fact[];
  failed?: string;
}
export interface Item { title: string; href: string; text: string; group?: string; scene: Scene; series: Series[] }

/* Shapes of small motions: six numbers a body, its shift in lengths and its turn in rad. */
export interface Modes { length: number; list: { frequency: number; damping: number; rate: number; parts: [number, string][]; re: number[]; im: number[] }[] }

export interface Header {
  format: string;
  version: number;
  kind: 'run' | 'compare' | 'gallery' | 'study';
  title: string;
  program: string;
  command: string;
  model: { file: string; hash: string; text: string } | null;
  options: [string, string][];
  evidence: Fact[];
  verdict: Message[];
  messages: Message[];
  scene: Scene | null;
  series: Series[];
  agreement?: { agree: boolean; methods: number; difference: number | null; limit: number };
  items?: Item[];
  modes?: Modes;
  blocks: { type: 'float64' | 'float32' | 'uint32'; rows: number; columns: number }[];
  live: boolean;
  sliders?: { name: string; value: number; model: number; moved: boolean }[];
}

/* Lists that a writer may leave out are empty from here on. */
function completeScene(scene: Scene): Scene {
  scene.bodies ??= [];
  scene.joints ??= [];
  scene.forces ??= [];
  scene.gravity ??= [0, 0, 0];
  scene.ground ??= { points: [], shapes: [] };
  scene.ground.points ??= [];
  scene.ground.shapes ??= [];
  for (const body of scene.bodies) {
    body.points ??= [];
    body.shapes ??= [];
    body.center ??= [0, 0, 0];
  }
  for (const joint of scene.joints) joint.sides ??= [];
  for (const force of scene.forces) force.ends ??= [];
  return scene;
}

/* A model without bodies has no poses, and plots all the same. */
function completeSeries(series: Series, scene: Scene | null | undefined): Series {
  series.channels ??= [];
  if (series.time == null || (series.poses == null && scene?.bodies.length !== 0)) series.frames = 0;
  return series;
}

function complete(header: Header): Header {
  header.options ??= [];
  header.evidence ??= [];
  header.verdict ??= [];
  header.messages ??= [];
  header.series ??= [];
  header.blocks ??= [];
  if (header.scene) completeScene(header.scene);
  header.series.forEach((series) => completeSeries(series, header.scene));
  for (const item of header.items ?? []) {
    completeScene(item.scene);
    item.series.forEach((series) => completeSeries(series, item.scene));
  }
  return header;
}

export function readHeader(): Header {
  const element = document.getElementById('dalembert');
  if (!element) throw new Error('this page holds no data: it is the empty template');
  const header = JSON.parse(element.textContent ?? '') as Header;
  if (header.format !== 'dalembert' || header.version !== 1)
    throw new Error(`the data of this page is of format ${header.format} ${header.version}; the viewer reads dalembert 1`);
  return complete(header);
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export class Blocks {
  private readonly decoded = new Map<number, Numbers>();

  constructor(private readonly header: Header) {}

  columns(index: number): number {
    return this.header.blocks[index].columns;
  }

  get(index: number): Numbers {
    let numbers = this.decoded.get(index);
    if (!numbers) {
      numbers = this.decode(index);
      this.decoded.set(index, numbers);
    }
    return numbers;
  }

  private decode(index: number): Numbers {
    const { type, rows, columns } = this.header.blocks[index];
    const element = document.getElementById(`block-${index}`);
    if (!element) throw new Error(`block ${index} is missing in this page`);
    const bytes = bytesOf(element.textContent ?? '');
    const numbers =
      type === 'float64' ? new Float64Array(bytes.buffer) : type === 'float32' ? new Float32Array(bytes.buffer) : new Uint32Array(bytes.buffer);
    if (numbers.length !== rows * columns)
      throw new Error(`block ${index} has ${numbers.length} numbers, its header says ${rows} x ${columns}: the page was cut or changed`);
    return numbers;
  }
}
