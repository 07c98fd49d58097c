/* What a reader sees and clicks on a page: channels of `record:` first, the scene filled over the whole motion, bodies shown, transparent, hidden and near,
 * names apart, black on dark ground, the text of the model.
 *   node test/looks.mjs dalembert folder      SCREENSHOTS=folder keeps pictures */

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, cramped, failures, faintTexts, launch, nameless, open } from './browser.mjs';

const [, , program, folder] = process.argv;
const shots = process.env.SCREENSHOTS;
mkdirSync(folder, { recursive: true });

/* Inertias that an even box of five metres would have, joints near one another, a black shape, a long line. */
const machine = `dalembert: 1
name: Machine
space: spatial
gravity: [0, 0, -9.81]
ground: {points: {O: [0, 0, 0]}}
bodies:
  first: {mass: 1, inertia: [9, 9, 9], points: {A: [0, 0, 0], B: [0.5, 0, 0], C: [0.25, 0.2, 0.1], D: [0.1, -0.1, 0.2]}}
  second: {mass: 1, inertia: [9, 9, 9], points: {B: [0, 0, 0], E: [0.02, 0, 0]}, position: [0.5, 0, 0]}
  tyre: {mass: 1, inertia: [1, 1, 1], points: {E: [0, 0, 0]}, position: [0.52, 0, 0], shape: {type: sphere, radius: 0.12, color: black}}
joints:
  shoulder: {type: revolute, connect: [ground.O, first.A], axis: [0, 1, 0]}
  elbow: {type: revolute, connect: [first.B, second.B], axis: [0, 1, 0]}
  wheel: {type: rigid, connect: [second.E, tyre.E]}
simulate: {until: 0.5, every: 0.01}
record: [tyre.z, elbow.angle, first.x, shoulder.angle, energy.kinetic, second.x, tyre.x] # ${'a comment that goes on and on '.repeat(6)}
`;
const text = resolve(join(folder, 'machine.yaml')), file = resolve(join(folder, 'machine.html'));
writeFileSync(text, machine);
execFileSync(program, ['run', text, '-q', '-o', file], { stdio: ['ignore', 'ignore', 'inherit'] });

const { browser, page, seen } = await launch();
const name = 'machine';
const view = () => page.evaluate(() => window.dalembert.view());
await open(page, seen, pathToFileURL(file).href);
await page.evaluate(() => window.dalembert.pause());

/* The pixels of the scene without its grid: the share that differs from the ground, and the box about it, as shares of the canvas. */
const scene = () => page.evaluate(() => {
  const grid = document.dispatchEvent(new KeyboardEvent('keydown', { key: 'g' }));
  const source = document.querySelector('canvas.scene');
  const canvas = document.createElement('canvas');
  canvas.width = 240;
  canvas.height = Math.round((240 * source.height) / source.width);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const header = window.dalembert.header.series[0];
  let low = [1, 1], high = [0, 0], drawn = 0;
  for (const t of [0, 0.1, 0.2, 0.3, 0.4, 0.5]) {
    window.dalembert.setTime(t);
    context.drawImage(source, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
      if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) <= 24) continue;
      const x = ((i / 4) % canvas.width) / canvas.width, y = Math.floor(i / 4 / canvas.width) / canvas.height;
      low = [Math.min(low[0], x), Math.min(low[1], y)];
      high = [Math.max(high[0], x), Math.max(high[1], y)];
      drawn++;
    }
  }
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'g' }));
  window.dalembert.setTime(0.2);
  return { drawn: drawn / (6 * canvas.width * canvas.height), width: high[0] - low[0], height: high[1] - low[1], frames: header.frames, grid };
});

/* What `record:` lists is plotted, in its order. */
const channels = await page.evaluate(() => window.dalembert.channels());
const wanted = ['tyre.z', 'elbow.angle', 'first.x', 'shoulder.angle', 'energy.kinetic', 'second.x', 'tyre.x'];
claim(name, 'the channels of record: are plotted first, in their order', channels.slice(0, wanted.length).join() === wanted.join(), channels.join());

/* The mechanism fills the scene, and no box hides it. */
const whole = await scene();
claim(name, 'the whole motion fills the scene', Math.max(whole.width, whole.height) > 0.6 && whole.width < 0.99 && whole.height < 0.99, JSON.stringify(whole));
claim(name, 'no box of inertia hides the machine', whole.drawn < 0.25, JSON.stringify(whole));

/* Names do not overlap. */
await page.keyboard.press('l');
const overlaps = await page.evaluate(() => {
  const boxes = [...document.querySelectorAll('.label')].filter((l) => getComputedStyle(l).visibility === 'visible').map((l) => ({ text: l.textContent, box: l.getBoundingClientRect() }));
  const meet = [];
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    if (a.box.left < b.box.right && b.box.left < a.box.right && a.box.top < b.box.bottom && b.box.top < a.box.bottom) meet.push(`${a.text} and ${b.text}`);
  }));
  return { meet, count: boxes.length };
});
claim(name, 'names are there and do not overlap', overlaps.count >= 5 && !overlaps.meet.length, JSON.stringify(overlaps));
await page.keyboard.press('l');

/* Bodies by the menu. */
await page.locator('.menu > summary').click();
await page.locator('.bodies > summary').click();
for (const look of ['transparent', 'hidden', 'shown']) {
  await page.getByLabel('How tyre is seen').selectOption(look);
  claim(name, `the menu makes a body ${look}`, (await view()).looks[2] === look, JSON.stringify((await view()).looks));
  if (shots) await page.screenshot({ path: join(shots, `looks-${look}.png`) });
}
await page.getByLabel('How tyre is seen').selectOption('hidden');
const without = await scene();
claim(name, 'a hidden body is not drawn', without.drawn < 0.9 * whole.drawn, `${without.drawn} against ${whole.drawn}`);
await page.getByLabel('How tyre is seen').selectOption('shown');
const before = (await view()).camera.distance;
await page.getByRole('button', { name: 'tyre', exact: true }).click();
const near = await view();
claim(name, 'the name brings a body near and follows it', near.follow === 2 && near.camera.distance < before, `${near.follow}, ${near.camera.distance} against ${before}`);
await page.locator('.menu > summary').click();

/* Bodies by a click in the scene: the tyre is in the middle now. */
await page.waitForTimeout(100);
const canvas = await page.locator('canvas.scene').boundingBox();
await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
claim(name, 'a click names the body', (await page.locator('.named').textContent()).startsWith('tyre'), await page.locator('.named').textContent());
await page.locator('.named').getByRole('button', { name: 'Transparent' }).click();
claim(name, 'and makes it transparent', (await view()).looks[2] === 'transparent');
await page.locator('.named').getByRole('button', { name: 'Transparent' }).click();
await page.locator('.named').getByRole('button', { name: 'Hide' }).click();
claim(name, 'and hides it', (await view()).looks[2] === 'hidden' && (await page.locator('.named').textContent()) === '');
await page.locator('.menu > summary').click();
await page.getByLabel('How tyre is seen').selectOption('shown');
for (const other of ['first', 'second']) await page.getByLabel(`How ${other} is seen`).selectOption('hidden');
await page.locator('.menu > summary').click();

/* Black on both grounds: only the tyre is left. */
for (const theme of ['light', 'dark']) {
  await page.evaluate((t) => { if (document.documentElement.dataset.theme !== t) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'd' })); }, theme);
  await page.keyboard.press('j');
  if (shots) await page.screenshot({ path: join(shots, `looks-black-${theme}.png`) });
  const seenNow = await scene();
  await page.keyboard.press('j');
  claim(name, `a black body is seen on ${theme} ground`, seenNow.drawn > 0.02, JSON.stringify(seenNow));
}

/* The speed is read in full, at both widths; the text of the model is wrapped, coloured and complete. */
for (const width of [1280, 400]) {
  await page.setViewportSize({ width, height: 800 });
  const clipped = await page.evaluate(() => {
    const menu = document.querySelector('#speed'), style = getComputedStyle(menu), pen = document.createElement('canvas').getContext('2d');
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    const room = menu.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;      // 16: the arrow
    return [...menu.options].filter((o) => pen.measureText(o.text).width > room).map((o) => o.text);
  });
  claim(name, `no speed is clipped at ${width} pixels`, !clipped.length, clipped.join());
  await page.locator('#tab-model').click();
  const shown = await page.evaluate(() => {
    const box = document.querySelector('#panel-model .text');
    return { wide: box.scrollWidth - box.clientWidth, kinds: ['key', 'number', 'comment'].map((k) => box.querySelectorAll(`.y-${k}`).length), text: [...box.querySelectorAll('.code')].map((c) => c.textContent).join('\n') };
  });
  claim(name, `lines of the model are wrapped at ${width} pixels`, shown.wide <= 1, shown.wide);
  claim(name, 'the model has colours', shown.kinds.every((n) => n > 0), shown.kinds.join());
  claim(name, 'and is complete', shown.text === machine.replace(/\n$/, ''), shown.text.length);
  const faint = await page.evaluate(faintTexts);
  claim(name, `texts stand out at ${width} pixels`, !faint.faint.length, faint.faint.slice(0, 5).join('; '));
  const { tight, mute } = await page.evaluate(`({ tight: (${cramped})(), mute: (${nameless})() })`);
  claim(name, `everything is in reach at ${width} pixels`, !tight.length, tight.join('; '));
  claim(name, 'every control has a name', !mute.length, mute.join('; '));
  if (shots) await page.screenshot({ path: join(shots, `looks-model-${width}.png`) });
}

/* The menu of the scene is inside a narrow page; names are not cut off; the motion is fitted again when the page changes its size, until a reader moves the camera. */
await page.setViewportSize({ width: 400, height: 800 });
await page.evaluate(() => scrollTo(0, 0));
await page.locator('.menu > summary').click();
const menu = await page.locator('.menu-body').boundingBox(), stage = await page.locator('.stage').boundingBox();
claim(name, 'the menu is inside a narrow page', menu.x >= 0 && menu.x + menu.width <= 400 && menu.y + menu.height <= stage.y + stage.height + 1, JSON.stringify({ menu, stage }));
await page.locator('.menu > summary').click();
await page.keyboard.press('l');
const cut = await page.evaluate(() => [...document.querySelectorAll('.label')].filter((l) => getComputedStyle(l).visibility === 'visible' && l.getBoundingClientRect().right > 401).map((l) => l.textContent));
claim(name, 'no name is cut off at the edge', !cut.length, cut.join());
await page.keyboard.press('l');
await page.keyboard.press('f');
await page.evaluate(() => window.dalembert.setTime(0.2));
const small = (await view()).camera.distance;
await page.setViewportSize({ width: 1280, height: 800 });
await page.waitForTimeout(150);
const large = (await view()).camera.distance;
claim(name, 'the motion is fitted again when the page grows', Math.abs(large / small - 1) > 0.01, `${small} ${large}`);
await page.keyboard.press('f');
await page.evaluate(() => window.dalembert.setTime(0.2));
claim(name, 'and is where a press of f brings it', Math.abs((await view()).camera.distance / large - 1) < 1e-6, `${large} ${(await view()).camera.distance}`);
await page.keyboard.press('+');
const chosen = (await view()).camera.distance;
await page.setViewportSize({ width: 1000, height: 800 });
await page.waitForTimeout(150);
claim(name, 'a camera that was moved stays', (await view()).camera.distance === chosen, `${chosen} ${(await view()).camera.distance}`);

const errors = await page.evaluate(() => window.dalembert.errors);
claim(name, 'nothing went wrong', !errors.length && !seen.console.length, [...errors, ...seen.console].join('; '));
await browser.close();
console.log(failures.length ? `${failures.length} claims do not hold` : 'every claim holds');
process.exit(failures.length ? 1 : 0);
