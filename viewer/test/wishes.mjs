/* What a model asks of its page (`view:`), units of plots, gears and motors, the video, the words.
 *   node test/wishes.mjs dalembert folder models      SCREENSHOTS=folder keeps pictures */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, failures, launch, open } from './browser.mjs';

const [, , program, folder, models] = process.argv;
const shots = process.env.SCREENSHOTS;
mkdirSync(folder, { recursive: true });

const model = `dalembert: 1
name: Wishes
space: spatial
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {A: [0, 0, 0], B: [0.5, 0, 0]}}
  tool: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {B: [0, 0, 0], P: [0.3, 0, 0]}}
  cover: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {P: [0, 0, 0]}, shape: {type: sphere, radius: 0.1}}
joints:
  shoulder: {type: revolute, connect: [ground, arm.A], axis: [0, 1, 0], start: {angle: 0.2}}
  elbow: {type: revolute, connect: [arm.B, tool.B], axis: [0, 1, 0], start: {angle: 0.3}}
  grip: {type: rigid, connect: [tool.P, cover.P]}
forces:
  motor: {type: motor, joint: shoulder, value: 2}
simulate: {until: 0.4, every: 0.01}
record:
  first: shoulder.angle
  second: elbow.angle
  strange: 1000*tool.x
  other: 1000*tool.z
  camber: {value: shoulder.angle*180/pi, unit: deg}
  tip: tool.P.position
view:
  traces: [tool.P, arm]
  plots: [[first, second], [tip], [camber]]
  camera: [0, -1, 0]
  zoom: 2
  colors: {arm: "#ff0000"}
  transparent: [arm]
  hidden: [cover]
`;
const pageOf = (name, text) => {
  const file = resolve(join(folder, `${name}.yaml`)), html = file.replace('.yaml', '.html');
  writeFileSync(file, text);
  execFileSync(program, ['run', file, '-q', '-o', html], { stdio: ['ignore', 'ignore', 'inherit'] });
  return pathToFileURL(html).href;
};

const { browser, page, seen } = await launch();
const view = () => page.evaluate(() => window.dalembert.view());
const titles = () => page.evaluate(() => [...document.querySelectorAll('#panel-plots .card h3')].map((h) => h.textContent));
const keep = async (name) => { if (shots) await page.screenshot({ path: join(shots, `${name}.png`) }); };

let name = 'view';
await open(page, seen, pageOf('wishes', model));
await page.evaluate(() => { window.dalembert.pause(); window.dalembert.setTime(0.2); });
const asked = await view(), channels = await page.evaluate(() => window.dalembert.channels());
claim(name, 'the paths that the model asks for are drawn', asked.traces === 2, String(asked.traces));
claim(name, 'bodies are hidden and transparent', asked.looks.join() === 'transparent,shown,hidden', asked.looks.join());
claim(name, 'the plots are those of the model, in its order', channels.join() === 'first,second,tip.x,tip.y,tip.z,camber', channels.join());
claim(name, 'one plot a group', (await titles()).join() === 'rad,m,deg', (await titles()).join());
claim(name, 'the camera looks along y', Math.abs(asked.camera.azimuth + Math.PI / 2) < 1e-6 && Math.abs(asked.camera.elevation) < 1e-6 && !asked.camera.flat, JSON.stringify(asked.camera));
await page.keyboard.press('f');
const fitted = (await view()).camera.distance;
claim(name, 'it is twice as near as the whole motion', Math.abs(fitted / asked.camera.distance - 2) < 0.02, `${fitted / asked.camera.distance}`);
await keep('view');

name = 'units';
await page.evaluate(() => window.dalembert.show(['first', 'second', 'strange', 'other', 'tip.x']));
const parts = await titles();
claim(name, 'what has no known unit stands alone', parts.includes('strange: unit not known') && parts.includes('other: unit not known'), parts.join());
claim(name, 'no panel is called no unit', !parts.some((t) => /no unit/.test(t)), parts.join());

name = 'words';
const labels = await page.evaluate(() => [...document.querySelectorAll('button[title]')].map((b) => b.title).join('\n'));
claim(name, 'buttons have plain names', /2D\/3D/.test(labels) && /Next frame/.test(labels) && /Previous frame/.test(labels), labels);
await page.keyboard.press('?');
claim(name, 'so have keys', /zoom in/.test(await page.evaluate(() => document.body.innerText)));
await page.keyboard.press('Escape');

name = 'video';
await page.selectOption('#speed', '0.5');
const [file] = await Promise.all([page.waitForEvent('download', { timeout: 60000 }), page.click('button[title^="Record a video"]')]);
const video = readFileSync(await file.path());
claim(name, 'a WebM file comes out', file.suggestedFilename().endsWith('.webm') && video.length > 1000 && video.readUInt32BE(0) === 0x1a45dfa3, `${file.suggestedFilename()}, ${video.length} bytes`);
claim(name, 'the motion was played to its end', Math.abs((await page.evaluate(() => window.dalembert.time())) - 0.4) < 1e-9);

/* Wheels stand in mesh: their shapes have the radii that the ratio gives. */
name = 'gears';
await open(page, seen, pageOf('gears', readFileSync(join(models, 'gear-pair.yaml'), 'utf8')));
const wheels = await page.evaluate(() => window.dalembert.header.scene.bodies.map((body) => {
  const plate = body.shapes.find((s) => s.kind === 'plate');
  return plate ? { teeth: plate.outline.length / 4, radius: Math.max(...plate.outline.map(([x, y]) => Math.hypot(x, y))) } : null;
}));
const ratio = await page.evaluate(() => Math.abs(window.dalembert.header.scene.joints.find((j) => j.type === 'gear').ratio));
claim(name, 'both wheels have teeth, as many as the ratio says', wheels.every(Boolean) && Math.abs(wheels[0].teeth / wheels[1].teeth - ratio) < 0.05, JSON.stringify({ wheels, ratio }));
await keep('gears');
await open(page, seen, pageOf('rack', readFileSync(join(models, 'rack-and-pinion.yaml'), 'utf8')));
const plates = await page.evaluate(() => window.dalembert.header.scene.bodies.filter((b) => b.shapes.some((s) => s.kind === 'plate')).length);
claim(name, 'a rack and a pinion are drawn', plates === 2, String(plates));

/* A planetary train: the ring has its teeth inside, each wheel is drawn once, and at the start a gap of the ring stands where a tooth of the planet is. The same ring,
 * held by the ground; and two pulleys with a belt, which turn the same way too. */
const planetary = (ring) => `dalembert: 1
name: Train
space: planar
parameters: {zs: 20, zp: 25, zr: 70, a: 0.09}
bodies:
  sun: {mass: 1, inertia: 0.001, position: [0, 0], angle: 0.3}
  carrier: {mass: 1, inertia: 0.01, position: [0, 0], angle: 0.5, points: {P: [a, 0]}}
  planet: {mass: 1, inertia: 0.001, position: [a*cos(0.5), a*sin(0.5)], angle: 0.1}
  ${ring ? 'ring: {mass: 1, inertia: 0.05, position: [0, 0], angle: 0.7}' : ''}
joints:
  C: {type: revolute, connect: [ground, carrier], start: {rate: 1}}
  S: {type: revolute, connect: [carrier, sun]}
  P: {type: revolute, connect: [carrier.P, planet]}
  ${ring ? 'R: {type: revolute, connect: [carrier, ring]}' : ''}
  outer: {type: gear, joints: [S, P], ratio: -zs/zp}
  inner: ${ring ? '{type: gear, joints: [P, R], ratio: zp/zr}' : '{type: gear, joints: [C, P], ratio: -zr/zp}'}
simulate: {until: 0.2, every: 0.01}
`;
const platesOf = () => page.evaluate(() => {
  const { scene } = window.dalembert.header;
  const hosts = [...scene.bodies.map((b) => ({ name: b.name, shapes: b.shapes, pose: (window.dalembert.setTime(0), window.dalembert.pose(b.name)) })), { name: 'ground', shapes: scene.ground.shapes, pose: { quaternion: [1, 0, 0, 0] } }];
  const turn = (q) => 2 * Math.atan2(q[3], q[0]);
  return Object.fromEntries(hosts.map(({ name, shapes, pose }) => [name, shapes.filter((s) => s.kind === 'plate').map((s) => {
    const edge = s.hole ?? s.outline, radii = edge.map(([x, y]) => Math.hypot(x, y));
    return { hole: Boolean(s.hole), teeth: edge.length / 4, pitch: (Math.min(...radii) * (s.hole ? 1.1 : 0.9) + Math.max(...radii) * (s.hole ? 0.9 : 1.1)) / 2, mark: turn(s.quaternion) + turn(pose.quaternion) };
  })]));
});
const offset = (angle, teeth) => { const u = (angle * teeth) / (2 * Math.PI); return u - Math.round(u); };
for (const ring of ['ring', '']) {
  name = ring ? 'planetary train' : 'train in a fixed ring';
  await open(page, seen, pageOf(ring ? 'planetary' : 'fixed-ring', planetary(ring)));
  const drawn = await platesOf(), outer = drawn[ring || 'ground'], { sun, planet } = drawn;
  claim(name, 'each wheel is drawn once', sun.length === 1 && planet.length === 1 && outer.length === 1 && !drawn.carrier.length, JSON.stringify(drawn));
  claim(name, 'the ring has its teeth inside', outer[0].hole && !planet[0].hole && Math.abs(outer[0].pitch - 0.14) < 0.002 && Math.abs(planet[0].pitch - 0.05) < 0.002 && Math.abs(sun[0].pitch - 0.04) < 0.002, JSON.stringify(drawn));
  claim(name, 'teeth are in the ratio of the radii', outer[0].teeth * 25 === planet[0].teeth * 70 && sun[0].teeth * 25 === planet[0].teeth * 20, JSON.stringify(drawn));
  const meets = offset(planet[0].mark - 0.5, planet[0].teeth) - offset(outer[0].mark - 0.5, outer[0].teeth), off = Math.abs(meets - Math.round(meets));
  claim(name, 'a tooth of the planet stands in a gap of the ring', off < 1e-6, off);
  await keep(ring ? 'planetary' : 'fixed-ring');
}
name = 'belt';
await open(page, seen, pageOf('belt', readFileSync(join(models, 'gear-pair.yaml'), 'utf8').replace('ratio: -z1/z2', 'ratio: z1/z2')));
const pulleys = await page.evaluate(() => { const { scene } = window.dalembert.header; return { plates: scene.bodies.map((b) => b.shapes.find((s) => s.kind === 'plate')), belt: scene.ground.shapes.filter((s) => s.kind === 'polyline').length }; });
claim(name, 'wheels on fixed axles that turn the same way have a belt', pulleys.belt === 1 && pulleys.plates.every((p) => p && !p.hole), JSON.stringify(pulleys.belt));
await keep('belt');

/* A wheel that stands for a body without shape is inside the picture: nothing of it is cut off by the edge. */
name = 'turntable';
await open(page, seen, pageOf('turntable', readFileSync(join(models, 'ball-on-turntable.yaml'), 'utf8').replace(/, shape: .*}}$/m, '}')));
await keep('turntable');
const edge = await page.evaluate(() => {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'g' }));
  window.dalembert.pause();
  window.dalembert.setTime(1);
  const source = document.querySelector('canvas.scene'), copy = Object.assign(document.createElement('canvas'), { width: source.width, height: source.height });
  const context = copy.getContext('2d');
  context.drawImage(source, 0, 0);
  const differs = (x, y) => { const p = context.getImageData(x, y, 1, 1).data, q = context.getImageData(1, copy.height - 2, 1, 1).data; return Math.abs(p[0] - q[0]) + Math.abs(p[1] - q[1]) + Math.abs(p[2] - q[2]) > 40; };
  let cut = 0;
  for (let y = 0; y < copy.height; y += 2) cut += differs(1, y) + differs(copy.width - 2, y);
  return cut;
});
claim(name, 'nothing is cut off by the edge of the picture', edge === 0, String(edge));

await browser.close();
console.log(failures.length ? `${failures.length} claims do not hold` : 'every claim holds');
process.exit(failures.length ? 1 : 0);
