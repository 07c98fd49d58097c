/* Pages of modes: shapes move as the closed form says, the amplitude scales them, several at once add up; Campbell's diagram is drawn.
 *   node test/modes.mjs dalembert folder      SCREENSHOTS=folder keeps pictures */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, cramped, failures, faintTexts, launch, nameless, open, picture } from './browser.mjs';

const [, , program, folder] = process.argv;
const shots = process.env.SCREENSHOTS;
mkdirSync(folder, { recursive: true });

/* Two equal masses between three equal springs: both one way with w^2 = k/m, one against the other with w^2 = 3 k/m. */
const k = 120, m = 1.5;
writeFileSync(join(folder, 'two-masses.yaml'), `dalembert: 1
name: Two masses between springs
space: planar
ground: {points: {A: [0, 0], B: [3, 0]}}
bodies:
  left: {mass: ${m}, position: [1, 0], shape: [{type: sphere, radius: 0.15}]}
  right: {mass: ${m}, position: [2, 0], shape: [{type: sphere, radius: 0.15}]}
joints:
  lay: {type: lock, body: left, coordinate: y}
  low: {type: lock, body: right, coordinate: y}
forces:
  a: {type: spring-damper, connect: [ground.A, left], stiffness: ${k}, length: 1}
  b: {type: spring-damper, connect: [left, right], stiffness: ${k}, length: 1}
  c: {type: spring-damper, connect: [right, ground.B], stiffness: ${k}, length: 1}
simulate: {until: 1, every: 0.1}
`);

/* A disc on a shaft: forward and backward whirl split with the spin, w^2 -+ (I/J) W w - K/J = 0. */
writeFileSync(join(folder, 'rotor.yaml'), `dalembert: 1
name: Disc that wobbles
space: spatial
parameters: {W: 100}
bodies:
  disc: {mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, 0], angular-velocity: {body: [0, 0, W]}}
joints:
  centre: {type: spherical, connect: [ground, disc]}
forces:
  tilt: {type: torque, body: disc, value: ["800*disc.ez.y", "-800*disc.ez.x", 0]}
simulate: {until: 1, every: 0.1}
`);

const run = (...options) => execFileSync(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
const { browser, page, seen } = await launch();
const name = 'modes';
const keep = async (what) => { if (shots) await page.screenshot({ path: join(shots, `modes-${what}.png`) }); };
const near = (a, b, tolerance = 1e-6) => Math.abs(a - b) <= tolerance;
/* x of both masses at a share of the film. */
const places = (share) => page.evaluate((s) => {
  const d = window.dalembert;
  d.pause();
  d.setTime(1e9); /* the end of the film */
  d.setTime(s * d.time());
  return [d.pose('left').position[0], d.pose('right').position[0]];
}, share);
const amplitude = (value) => page.getByLabel('Amplitude').evaluate((e, v) => { e.value = String(v); e.dispatchEvent(new Event('input')); }, value);

try {
  const file = join(folder, 'two-masses.html');
  run('modes', join(folder, 'two-masses.yaml'), '-o', file);
  await open(page, seen, pathToFileURL(file).href);
  const header = await page.evaluate(() => window.dalembert.header.modes);
  const frequency = [1, 3].map((n) => Math.sqrt((n * k) / m) / (2 * Math.PI));
  claim(name, 'both modes are there, with their frequencies', header.list.length === 2 && header.list.every((one, i) => near(one.frequency, frequency[i], 1e-9)), JSON.stringify(header.list.map((one) => one.frequency)));
  await keep('first');

  /* The first mode: four periods, both one way, by the amplitude that is set. */
  await amplitude(0.4);
  const still = [1, 2], [l0, r0] = await places(0), [l1, r1] = await places(1 / 8), [l2] = await places(1 / 16);
  const d = l0 - still[0];
  claim(name, 'the first shape moves both masses alike', Math.abs(d) > 0.02 && near(r0 - still[1], d), `${l0}, ${r0}`);
  claim(name, 'half a period later it is on the other side', near(l1 - still[0], -d) && near(r1 - still[1], -d), `${l1}, ${r1}`);
  claim(name, 'a quarter of a period later it passes the middle', near(l2, still[0]), String(l2));
  await amplitude(0.2);
  const [half] = await places(0);
  claim(name, 'half the amplitude moves half as far', near(half - still[0], d / 2), `${half - still[0]}, ${d}`);
  await amplitude(0);
  const none = [await places(0), await places(0.3)].flat();
  claim(name, 'none moves nothing', none.every((x, i) => near(x, still[i % 2])), none.join());

  /* The second alone, by its button; then both, whose motions add. */
  await amplitude(0.4);
  const share = 0.03;
  const first = await places(share);
  await page.locator('.modes button').nth(1).click();
  const opposite = await places(0), alone = await places(share);
  const e = opposite[0] - still[0];
  claim(name, 'the second shape moves one against the other', Math.abs(e) > 0.02 && near(opposite[1] - still[1], -e), opposite.join());
  await page.getByLabel('Mode 1', { exact: true }).check();
  const both = await places(share);
  const ratio = Math.sqrt(3), phase = 2 * Math.PI * 4 * share;
  const sum = [0, 1].map((i) => still[i] + d * Math.cos(phase) + (i ? -e : e) * Math.cos(ratio * phase));
  claim(name, 'both at once add up, at the ratio of their frequencies', both.every((x, i) => near(x, sum[i], 1e-5)), `${both} for ${sum}; alone ${first}, ${alone}`);
  await keep('both');
  claim(name, 'the picture moves', (await page.evaluate(picture, [0, 0.1])).moved > 20);

  for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [400, 'light']]) {
    await page.setViewportSize({ width, height: 800 });
    if ((await page.evaluate(() => window.dalembert.view().theme)) !== theme) await page.getByRole('button', { name: /Light or dark/ }).click();
    const where = `at ${width} pixels, ${theme}`;
    const faint = await page.evaluate(faintTexts), tight = await page.evaluate(cramped), mute = await page.evaluate(nameless);
    claim(name, `texts stand out ${where}`, !faint.faint.length, faint.faint.slice(0, 4).join('; '));
    claim(name, `everything is in reach ${where}`, !tight.length, tight.join('; '));
    claim(name, `every control has a name ${where}`, !mute.length, mute.join('; '));
    await keep(`${width}-${theme}`);
  }
  claim(name, 'nothing went wrong in the page', !(await page.evaluate(() => window.dalembert.errors)).length && !seen.console.length, seen.console.join('; '));

  /* Campbell's diagram: curves that go where the closed form goes. */
  await page.setViewportSize({ width: 1280, height: 800 });
  const svg = join(folder, 'campbell.svg'), campbell = join(folder, 'campbell.html'), table = join(folder, 'campbell.csv');
  for (const out of [svg, campbell, table]) run('modes', join(folder, 'rotor.yaml'), '--over', 'W=0:300:7', '-o', out);
  const rows = readFileSync(table, 'utf8').trim().split('\n').map((line) => line.split(','));
  const columns = rows[0].map((title, i) => (/frequency/.test(title) ? i : -1)).filter((i) => i >= 0);
  claim(name, 'the table has two modes over seven spins', rows.length === 8 && columns.length === 2, rows[0].join());
  for (const row of rows.slice(1)) {
    const W = Number(row[0]), J = 0.03, I = 0.05, K = 800, g = (I * W) / (2 * J), root = Math.sqrt(g * g + K / J);
    const expected = [root - g, root + g].map((w) => w / (2 * Math.PI)).sort((a, b) => a - b), found = columns.map((i) => Number(row[i])).sort((a, b) => a - b);
    claim(name, `whirl at ${W} rad/s`, found.every((f, i) => near(f, expected[i], 1e-9 * expected[i])), `${found} for ${expected}`);
  }
  const drawn = readFileSync(svg, 'utf8');
  claim(name, 'the diagram draws a curve for each mode', (drawn.match(/<(path|polyline)/g) ?? []).length >= 2, String((drawn.match(/<(path|polyline)/g) ?? []).length));
  await page.goto(pathToFileURL(svg).href);
  await keep('campbell-svg');
  seen.console.length = 0;
  await page.goto(pathToFileURL(campbell).href);
  const curves = await page.locator('svg path, svg polyline, canvas').count();
  claim(name, 'and so does the page', curves >= 2, String(curves));
  claim(name, 'silently', !seen.console.length, seen.console.join('; '));
  await keep('campbell');
} finally {
  await browser.close();
}
console.log(failures.length ? `${failures.length} claims do not hold` : 'every claim holds');
process.exit(failures.length ? 1 : 0);
