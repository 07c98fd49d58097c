/* Pages made without the program, of motions with closed forms: what tests of the viewer alone look at. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const template = process.env.VIEWER_PAGE ?? join(dirname(fileURLToPath(import.meta.url)), '../dist/page.html');

/* Blocks are gathered here while a header is written. */
export class Blocks {
  list = [];
  texts = [];
  add(numbers, columns) {
    const type = numbers instanceof Float64Array ? 'float64' : numbers instanceof Float32Array ? 'float32' : 'uint32';
    this.list.push({ type, rows: numbers.length / columns, columns });
    this.texts.push(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('base64'));
    return this.list.length - 1;
  }
}

export function pageOf(header, blocks, live = false) {
  const json = JSON.stringify({ ...header, blocks: blocks.list, live }).replaceAll('<', '\\u003c');
  const data = [`<script type="application/json" id="dalembert">${json}</script>`,
    ...blocks.texts.map((text, i) => `<script type="application/octet-stream" id="block-${i}">${text}</script>`)].join('\n');
  const [before, after] = readFileSync(template, 'utf8').split('<!--DATA-->');
  const head = live ? before.replace("connect-src 'none'", "connect-src 'self'") : before;
  return head + data + after;
}

const UNIT = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const point = (name, x, y, z = 0) => ({ name, at: [x, y, z] });
const body = (name, points, more = {}) => ({ name, particle: false, center: [0, 0, 0], points, shapes: [], ...more });
const joint = (name, type, motion, first, second, more = {}) => ({
  name, type, motion, redundant: false,
  sides: [first, second].map(([b, at, axes]) => ({ body: b, at, axes: axes ?? UNIT })), ...more,
});
const spin = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];

/* A series from functions of time: pose(t) gives seven numbers a body, channels [name, unit, f]. */
export function seriesOf(blocks, name, { frames, until, pose, channels, joints = 0, reactions, velocities, log = [], recorded, envelope, error }) {
  const time = Float64Array.from({ length: frames }, (_, i) => (until * i) / (frames - 1));
  const poses = Float32Array.from([...time].flatMap((t) => pose(t)));
  const values = Float64Array.from([...time].flatMap((t) => channels.map(([, , f]) => f(t))));
  const bodies = poses.length / frames / 7;
  const width = channels.length;
  return {
    name, frames, recorded: recorded ?? frames, time: blocks.add(time, 1), poses: blocks.add(poses, 7 * bodies),
    channels: channels.map(([n, unit], column) => ({ name: n, unit, log: log.includes(n), column })), values: blocks.add(values, width),
    least: envelope ? blocks.add(values.map((v) => v - envelope), width) : null, most: envelope ? blocks.add(values.map((v) => v + envelope), width) : null,
    reactions: reactions ? blocks.add(Float32Array.from([...time].flatMap((t) => reactions(t))), 6 * joints) : null,
    velocities: velocities ? blocks.add(Float32Array.from([...time].flatMap((t) => velocities(t))), 3 * bodies) : null,
    error: error ? blocks.add(Float64Array.from([...time], error), 1) : null,
  };
}

const common = (title) => ({
  format: 'dalembert', version: 1, kind: 'run', title, program: '0.1.0', command: `dalembert run ${title}.yaml -o ${title}.html`,
  model: { file: `${title}.yaml`, hash: 'a7350e7a3d261cca', text: `dalembert: 1\nname: ${title}\nspace: planar\n# a line\nbodies:\n  crank: {mass: 1}\n` },
  options: [['coordinates', 'natural'], ['formulation', 'udwadia-kalaba'], ['integrator', 'ab6']],
  evidence: [{ label: 'freedoms', value: '1', unit: '' }, { label: 'position residual', value: '3.11e-14', unit: 'm' }, { label: 'run time', value: '0.100', unit: 's' }],
  verdict: [{ severity: 'note', text: 'one freedom: the crank turns', line: 6 }, { severity: 'warning', text: 'the joints are written twice', line: 4, column: 3 }],
  messages: [],
});

/* A rhombus of bars that swings; b is the angle of the cranks. */
export function fourBar(angle = (t) => -Math.PI / 2 + 0.785 * Math.cos(1.7 * t), name = 'natural') {
  const L = 4;
  const scene = {
    space: 'planar', gravity: [0, -9.81, 0], ground: { points: [point('A', 0, 0), point('D', L, 0)], shapes: [] },
    bodies: [body('bar1', [point('A', -L / 2, 0), point('B', L / 2, 0)]), body('bar2', [point('B', -L / 2, 0), point('C', L / 2, 0)]), body('bar3', [point('C', L / 2, 0), point('D', -L / 2, 0)])],
    joints: [joint('A', 'revolute', 'Rz', [-1, [0, 0, 0]], [0, [-L / 2, 0, 0]]), joint('B', 'revolute', 'Rz', [0, [L / 2, 0, 0]], [1, [-L / 2, 0, 0]]),
      joint('C', 'revolute', 'Rz', [1, [L / 2, 0, 0]], [2, [L / 2, 0, 0]]), joint('D', 'revolute', 'Rz', [-1, [L, 0, 0]], [2, [-L / 2, 0, 0]])],
    forces: [{ name: 'spring', type: 'spring-damper', ends: [{ body: -1, at: [0, 0, 0] }, { body: 2, at: [L / 2, 0, 0] }], free: 2 }],
  };
  const pose = (t) => {
    const b = angle(t), x = Math.cos(b), y = Math.sin(b);
    return [(x * L) / 2, (y * L) / 2, 0, ...spin(b), x * L + L / 2, y * L, 0, 1, 0, 0, 0, L + (x * L) / 2, (y * L) / 2, 0, ...spin(b)];
  };
  const rate = (t) => (angle(t + 1e-4) - angle(t - 1e-4)) / 2e-4;
  const velocities = (t) => { const b = angle(t), w = rate(t), x = -Math.sin(b) * w, y = Math.cos(b) * w; return [(x * L) / 2, (y * L) / 2, 0, x * L, y * L, 0, (x * L) / 2, (y * L) / 2, 0]; };
  const channels = [
    ['bar1.x', 'm', (t) => (L / 2) * Math.cos(angle(t))], ['bar1.y', 'm', (t) => (L / 2) * Math.sin(angle(t))], ['bar1.angle', 'rad', angle], ["bar1.angle'", 'rad/s', rate],
    ['energy', 'J', (t) => -166 + 1e-9 * Math.sin(t)], ['energy.balance', 'J', (t) => -166.48 + 1e-12 * Math.sin(3 * t)],
    ['constraint.position', 'm or rad', (t) => 1e-15 * (1 + t)], ['constraint.velocity', 'm/s or rad/s', (t) => (t ? 1e-14 * t : 0)],
  ];
  const reactions = (t) => [20, 60 + 10 * Math.sin(t), 0, 0, 0, 0, -10, 30, 0, 0, 0, 0, 10, -25, 0, 0, 0, 0, -20, 50, 0, 0, 0, 0];
  return { scene, name, motion: { frames: 501, until: 5, pose, channels, joints: 4, reactions, velocities } };
}

export function fourBarPage() {
  const blocks = new Blocks();
  const { scene, name, motion } = fourBar();
  return { html: pageOf({ ...common('Four-bar linkage'), scene, series: [seriesOf(blocks, name, { ...motion, envelope: 0.02, recorded: 5001 })] }, blocks), scene, motion };
}

export function comparePage() {
  const blocks = new Blocks();
  const base = fourBar();
  const late = fourBar((t) => -Math.PI / 2 + 0.785 * Math.cos(1.6 * t));
  const series = [
    { ...seriesOf(blocks, 'lagrange, angle', { ...base.motion, error: () => 0 }), evidence: [{ label: 'time', value: '0.10', unit: 's' }, { label: 'error', value: '0', unit: 'm' }] },
    { ...seriesOf(blocks, 'kane, angle', { ...base.motion, frames: 401, error: (t) => 1e-12 * (1 + t * t) }), evidence: [{ label: 'time', value: '0.08', unit: 's' }, { label: 'error', value: '2.6e-11', unit: 'm' }] },
    { ...seriesOf(blocks, 'a wrong one', { ...late.motion, error: (t) => 0.1 * t + 1e-9 }), evidence: [{ label: 'time', value: '0.05', unit: 's' }, { label: 'error', value: '0.51', unit: 'm' }] },
    { name: 'penalty', frames: 0, recorded: 0, time: null, poses: null, channels: [], values: null, least: null, most: null, reactions: null, velocities: null, error: null, failed: 'the step became too small at t = 0.3' },
  ];
  return { html: pageOf({ ...common('Four-bar compared'), kind: 'compare', scene: base.scene, series }, blocks) };
}

/* Everything a spatial scene can hold, on simple motions. */
export function spatialScene() {
  const turn = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];
  const scene = {
    space: 'spatial', gravity: [0, 0, -9.81], ground: { points: [], shapes: [{ kind: 'box', size: [0.5, 0.5, 0.05], at: [0, 0, -1.4], quaternion: [1, 0, 0, 0], color: null }] },
    bodies: [
      body('rotor', [point('hub', 0, 0, 0), point('tip', 0.8, 0, 0), point('side', 0.3, 0.4, 0)]),
      body('slider', [point('pin', 0, 0, 0)], { mass: 1, inertia: [0.01, 0.01, 0.01, 0, 0, 0] }),
      body('bob', [], { particle: true }),
      body('free', [], { mass: 2, inertia: [0.02, 0.08, 0.09, 0, 0, 0] }),
      body('shaped', [], { shapes: [
        { kind: 'cylinder', radius: 0.1, length: 0.6, at: [0, 0, 0], quaternion: [1, 0, 0, 0], color: '#c08040' },
        { kind: 'capsule', radius: 0.05, length: 0.4, at: [0.3, 0, 0], quaternion: [1, 0, 0, 0], color: null },
        { kind: 'plate', outline: [[0, 0], [0.3, 0], [0.3, 0.1], [0.1, 0.3]], thickness: 0.04, at: [0, 0.2, 0], quaternion: [1, 0, 0, 0], color: '#4080c0' },
        { kind: 'polyline', points: [[0, 0, 0], [0.2, 0, 0.3], [0.4, 0.1, 0.3]], radius: 0.02, at: [0, 0, 0.2], quaternion: [1, 0, 0, 0], color: null },
        { kind: 'mesh', vertices: 0, triangles: 1, at: [-0.3, 0, 0], quaternion: [1, 0, 0, 0], color: '#55aa77' }] }),
      body('coin', []),
    ],
    joints: [
      joint('bearing', 'revolute', 'Rz', [-1, [0, 0, 0]], [0, [0, 0, 0]]), joint('guide', 'prismatic', 'Tx', [-1, [0, 1, 0]], [1, [0, 0, 0]]),
      joint('cross', 'universal', 'RxRy', [0, [0.8, 0, 0]], [0, [0.8, 0, 0]]), joint('ball', 'spherical', 'RxRyRz', [0, [0.3, 0.4, 0]], [0, [0.3, 0.4, 0]]),
      joint('rod', 'distance', '', [-1, [1.2, 0, 0.8]], [2, [0, 0, 0]]), joint('roll', 'rolling-disc', '', [-1, [0, 0, -1.4]], [5, [0, 0, 0]], { radius: 0.2 }),
      joint('weld', 'rigid', '', [-1, [-1, 0.4, 0]], [4, [0, 0, 0]]), joint('mystery', 'of-tomorrow', 'RyTy', [-1, [0, -1, 0]], [3, [0, 0, 0]]), { name: 'gears', type: 'gear', motion: '', sides: [], redundant: true },
    ],
    forces: [{ name: 'spring', type: 'spring-damper', ends: [{ body: -1, at: [-1.4, 1, 0] }, { body: 1, at: [0, 0, 0] }], free: 1 }, { name: 'mount', type: 'bushing', ends: [{ body: -1, at: [-1, 0.4, 0] }, { body: 4, at: [0, 0, 0] }], free: null },
      { name: 'push', type: 'force', ends: [{ body: 0, at: [0.8, 0, 0] }], free: null }, { name: 'pull', type: 'force', ends: [{ body: 0, at: [0.8, 0, 0] }, { body: 2, at: [0, 0, 0] }], free: null }, { name: 'g', type: 'gravity', ends: [], free: null }],
  };
  const pose = (t) => [
    0, 0, 0, ...turn([0, 0, 1], 2 * t), 0.5 * Math.sin(2 * t), 1, 0, 1, 0, 0, 0, 1.2 + 0.6 * Math.sin(0.7 * Math.sin(3 * t)), 0, 0.8 - 0.6 * Math.cos(0.7 * Math.sin(3 * t)), 1, 0, 0, 0,
    0.2 * t, -1, 0.3, ...turn([0.6, 0, 0.8], 3 * t), -1, 0.4, 0, ...turn([0, 0, 1], 0.3 * Math.sin(t)), Math.cos(t), Math.sin(t), -1.2, ...turn([1, 0, 0], Math.PI / 2),
  ];
  return { scene, motion: { frames: 201, until: 4, pose, channels: [['slider.x', 'm', (t) => 0.5 * Math.sin(2 * t)], ['energy', 'J', () => 3]], joints: 9, reactions: (t) => Array.from({ length: 54 }, (_, i) => (i % 6 < 3 ? Math.sin(t + i) : 0)) } };
}

export function spatialPage() {
  const blocks = new Blocks();
  blocks.add(Float32Array.from([0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2]), 3);
  blocks.add(Uint32Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]), 3);
  const { scene, motion } = spatialScene();
  return { html: pageOf({ ...common('Everything in space'), scene, series: [seriesOf(blocks, 'run', motion)] }, blocks), scene, motion };
}

/* A chain of n bars, for the speed of drawing. */
export function chainPage(n = 200) {
  const blocks = new Blocks();
  const L = 1 / n;
  const scene = {
    space: 'spatial', gravity: [0, 0, -9.81], ground: { points: [], shapes: [] }, forces: [],
    bodies: Array.from({ length: n }, (_, i) => body(`link.${i + 1}`, [point('a', -L / 2, 0, 0), point('b', L / 2, 0, 0)])),
    joints: Array.from({ length: n }, (_, i) => joint(`J${i + 1}`, 'revolute', 'Ry', [i - 1, i ? [L / 2, 0, 0] : [0, 0, 0]], [i, [-L / 2, 0, 0]])),
  };
  const pose = (t) => {
    const out = [];
    let x = 0, z = 0;
    for (let i = 0; i < n; i++) {
      const a = 0.9 * Math.sin(2 * t + (5 * i) / n);
      out.push(x + (L / 2) * Math.cos(a), 0, z - (L / 2) * Math.sin(a), Math.cos(a / 2), 0, Math.sin(a / 2), 0);
      x += L * Math.cos(a);
      z -= L * Math.sin(a);
    }
    return out;
  };
  return { html: pageOf({ ...common(`Chain of ${n}`), scene, series: [seriesOf(blocks, 'run', { frames: 200, until: 5, pose, channels: [['link.1.x', 'm', (t) => t]] })] }, blocks) };
}

export const HOSTILE = ['</script><script>window.hacked=1</script>', '"><img src=x onerror="window.hacked=1">', "'; window.hacked=1; '", '<!-- <script>', 'имя 名前 🙂 \u202e', '__proto__', '&lt;b&gt;'];

export function hostilePage() {
  const blocks = new Blocks();
  const { scene, motion } = fourBar();
  scene.bodies.forEach((b, i) => (b.name = HOSTILE[i]));
  scene.bodies[0].points[0].name = HOSTILE[1];
  scene.joints.forEach((j, i) => { j.name = HOSTILE[i]; });
  scene.joints[3].type = '__proto__';
  const channels = motion.channels.map(([, unit, f], i) => [HOSTILE[i % HOSTILE.length] + (i >= HOSTILE.length ? i : ''), i === 2 ? HOSTILE[1] : unit, f]);
  const header = {
    ...common(HOSTILE[0]), model: { file: HOSTILE[1], hash: HOSTILE[2], text: `${HOSTILE.join('\n')}\n` }, command: HOSTILE[0],
    options: [[HOSTILE[0], HOSTILE[1]]], evidence: [{ label: HOSTILE[1], value: HOSTILE[0], unit: HOSTILE[3] }],
    messages: [{ severity: 'error', text: HOSTILE[1], line: 2 }], scene, series: [seriesOf(blocks, HOSTILE[0], { ...motion, channels })],
  };
  return { html: pageOf(header, blocks) };
}

export function galleryPage() {
  const blocks = new Blocks();
  const spatial = spatialScene();
  spatial.scene.bodies[4].shapes = [];
  const items = Array.from({ length: 12 }, (_, i) => {
    const { scene, motion } = i % 3 === 2 ? spatial : fourBar();
    return { title: `Model ${i + 1}`, href: i === 11 ? ' javascript:window.hacked=1' : i === 10 ? '//elsewhere/model.html' : `model-${i + 1}.html`, text: 'What it shows, in a sentence.', group: i % 3 === 2 ? 'spatial' : 'planar', scene, series: [seriesOf(blocks, 'run', { ...motion, frames: 100 })] };
  });
  return { html: pageOf({ ...common('Gallery'), kind: 'gallery', model: null, scene: null, series: [], items }, blocks) };
}

/* A model that could not be read: no scene, only messages. */
export function brokenPage() {
  return { html: pageOf({ ...common('A model with a mistake'), scene: null, series: [], messages: [{ severity: 'error', text: "unknown key 'mas' (did you mean 'mass'?)", line: 6, column: 11 }] }, new Blocks()) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { mkdirSync, writeFileSync } = await import('node:fs');
  const folder = process.argv[2] ?? 'samples';
  mkdirSync(folder, { recursive: true });
  const pages = { 'four-bar': fourBarPage, compare: comparePage, spatial: spatialPage, chain: chainPage, hostile: hostilePage, gallery: galleryPage, broken: brokenPage };
  for (const [name, make] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), make().html);
}
