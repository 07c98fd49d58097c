/* Pages that the program wrote, each opened, played, scrubbed and read back; fails where one does not hold what the data promises.
 *   node test/gallery.mjs page.html ...
 *   node test/gallery.mjs --program dalembert folder model.yaml ...      writes the pages of a gallery into the folder first, and looks at its index too
 *   SCREENSHOTS=folder                                                   keeps a picture of each page, wide and narrow */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, cramped, faintTexts, failures, launch, nameless, open, picture, poseBetween, read } from './browser.mjs';

let files = process.argv.slice(2);
let folder = null;
if (files[0] === '--program') {
  const [, program, where, ...models] = files;
  folder = where;
  rmSync(folder, { recursive: true, force: true });
  execFileSync(program, ['gallery', ...models, '--no-equations', '-o', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  files = readdirSync(folder).filter((name) => name.endsWith('.html') && name !== 'index.html').sort().map((name) => join(folder, name));
  claim('gallery', 'a page a model', files.length === models.length, `${files.length} of ${models.length}`);
}
if (!files.length) {
  console.error('node test/gallery.mjs page.html ...');
  process.exit(2);
}
const shots = process.env.SCREENSHOTS;
const { browser, page, seen } = await launch();
await page.setViewportSize({ width: 400, height: 800 });
const close = (a, b, tolerance) => a.length === b.length && a.every((v, i) => Math.abs(v - b[i]) <= tolerance);

/* Poses at some frames, read back in one call, against the file. */
async function posesAgree(name, header, block) {
  const series = header.series.find((s) => s.frames);
  const time = block(series.time), poses = block(series.poses), bodies = header.scene.bodies.length;
  const size = Math.max(...Array.from(poses.subarray(0, bodies * 7), Math.abs), 1e-9);
  const frames = [0, 0.37, 0.5, 0.81, 1].map((s) => Math.round(s * (series.frames - 1)));
  const chosen = [0, bodies >> 1, bodies - 1];
  const names = chosen.map((i) => header.scene.bodies[i].name);
  const shown = await page.evaluate(({ times, names }) => times.map((t) => { window.dalembert.setTime(t); return { frame: window.dalembert.frame(), poses: names.map((n) => window.dalembert.pose(n)) }; }),
    { times: frames.map((f) => time[f]), names });
  frames.forEach((frame, i) => chosen.forEach((index, k) => {
    const data = [...poses.subarray((frame * bodies + index) * 7, (frame * bodies + index) * 7 + 7)];
    const pose = shown[i].poses[k];
    claim(name, `at frame ${frame} ${names[k]} stands where the data has it`, time[shown[i].frame] === time[frame] && close([...pose.position, ...pose.quaternion], time.indexOf(time[frame]) === time.lastIndexOf(time[frame]) ? data : [...pose.position, ...pose.quaternion], 0));
  }));
  const slid = await page.evaluate((body) => {
    const slider = document.querySelector('.scrub');
    slider.value = '6180';
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    const t = window.dalembert.time();
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done({ t, pose: window.dalembert.pose(body) }))));
  }, names[2]);
  const span = time[series.frames - 1] - time[0];
  claim(name, 'the slider sets the time', Math.abs(slid.t - (time[0] + 0.618 * span)) <= 1e-3 * span, slid.t);
  claim(name, `scrubbing moves ${names[2]} to its pose between frames`,
    close([...slid.pose.position, ...slid.pose.quaternion], poseBetween(time, poses, bodies, chosen[2], slid.t), 1e-6 * Math.max(1, size)));
}

async function keyboardWorks(name) {
  const view = () => page.evaluate(() => ({ ...window.dalembert.view(), frame: window.dalembert.frame() }));
  await page.evaluate(() => { window.dalembert.pause(); document.activeElement?.blur(); });
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('l');
  await page.keyboard.press('?');
  const first = await view();
  claim(name, 'Home and the right arrow lead to the second frame', first.frame === 1, first.frame);
  claim(name, 'l shows names', first.switches.labels);
  claim(name, '? shows the keys', first.help);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !window.dalembert.view().help, null, { polling: 10 });
  await page.keyboard.press('Space');
  await page.waitForFunction((t) => window.dalembert.playing() && window.dalembert.time() > t, first.t, { polling: 'raf', timeout: 10000 })
    .catch(() => claim(name, 'space plays, and time advances', false));
  await page.evaluate(() => new Promise((done) => { let left = 5; const next = () => (left-- ? requestAnimationFrame(next) : done()); next(); }));
  await page.keyboard.press('Space');
  claim(name, 'space pauses', !(await page.evaluate(() => window.dalembert.playing())));
}

/* The boxes of the chooser are the channels of the file; the checks are plotted without asking. */
async function channelsAreRight(name, header) {
  const series = header.series.find((s) => s.channels.length);
  if (!series) return;
  const names = series.channels.map((c) => c.name);
  const result = await page.evaluate((wanted) => {
    const offered = [...document.querySelectorAll('.channel-list label')].map((l) => l.textContent);
    const usual = window.dalembert.channels();
    window.dalembert.show([wanted]);
    const shown = window.dalembert.channels();
    window.dalembert.show(usual);
    return { offered, usual, shown, plots: document.querySelectorAll('#panel-plots .u-wrap, #panel-plots .card').length };
  }, names.at(-1));
  claim(name, 'every channel of the file can be chosen', [...result.offered].sort().join('\n') === [...names].sort().join('\n'));
  const checks = names.filter((n) => n === 'energy.balance' || /^constraint\.(position|velocity)/.test(n));
  claim(name, 'energy balance and residuals are plotted without asking', checks.every((n) => result.usual.includes(n)), checks.filter((n) => !result.usual.includes(n)).join());
  claim(name, 'a chosen channel is the one that is plotted', result.shown.join() === names.at(-1), result.shown.join());
  claim(name, 'something is plotted', result.plots > 0);
}

/* Both widths, both grounds. Pages are opened at the narrow one, where software draws faster. */
const widths = [[400, 800], [1280, 800]];
async function looksRight(name) {
  for (const [width, height] of widths) {
    await page.setViewportSize({ width, height });
    const sides = await page.evaluate(`['light', 'dark'].map((side) => {
      document.documentElement.dataset.theme = side;
      return { side, faint: (${faintTexts})() };
    })`);
    for (const { side, faint } of sides) claim(name, `texts stand out at ${width} pixels, ${side}`, !faint.faint.length && faint.count > 5, faint.faint.slice(0, 5).join('; '));
    const { tight, mute } = await page.evaluate(`({ tight: (${cramped})(), mute: (${nameless})() })`);
    claim(name, `everything is in reach at ${width} pixels`, !tight.length, tight.join('; '));
    claim(name, 'every control has a name', !mute.length, mute.join('; '));
    if (shots) {
      const theme = width === 1280 ? 'light' : 'dark';
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate((t) => { document.documentElement.dataset.theme = t; return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); }, theme);
      await page.screenshot({ path: `${shots}/${name}-${width}-${theme}.png` });
    }
  }
  await page.setViewportSize({ width: 400, height: 800 });
}

/* The index: a card a page, thumbnails drawn, links that lead somewhere. */
async function indexWorks(name) {
  await open(page, seen, pathToFileURL(resolve(join(folder, 'index.html'))).href);
  const index = await page.evaluate(() => ({ links: [...document.querySelectorAll('.model-card')].map((a) => a.getAttribute('href')), drawn: window.dalembert.view().drawn, errors: window.dalembert.errors }));
  claim(name, 'a card a page', index.links.length === files.length, index.links.length);
  claim(name, 'every link leads to a page', index.links.every((link) => link && existsSync(join(folder, decodeURIComponent(link)))), index.links.join(' '));
  claim(name, 'thumbnails in sight are drawn', index.drawn > 0, index.drawn);
  const faint = await page.evaluate(faintTexts);
  claim(name, 'texts stand out', !faint.faint.length, faint.faint.slice(0, 5).join('; '));
  claim(name, 'nothing went wrong', !index.errors.length && !seen.console.length, [...index.errors, ...seen.console].join('; '));
}

const frameTimes = [];
const started = Date.now();
for (const file of files) {
  const name = basename(file).replace(/\.html$/, '');
  const before = Date.now();
  try {
    const { header, block } = read(file);
    if (name === 'four-bar') claim(name, 'the page of five seconds is below 1.6 MB', statSync(file).size < 1.6e6, statSync(file).size);
    await open(page, seen, pathToFileURL(resolve(file)).href);
    const opened = Date.now() - before;
    const series = header.series.find((s) => s.frames);
    const time = block(series.time);
    if (header.scene.bodies.length) {
      const drawn = await page.evaluate(picture, [0.3, 0.45, 0.02].map((s) => time[0] + s * (time[series.frames - 1] - time[0])));
      claim(name, 'the scene is not blank', drawn.drawn > 0.002, JSON.stringify(drawn));
      claim(name, 'the picture moves', drawn.moved > 3, JSON.stringify(drawn));
      await posesAgree(name, header, block);
    } else {
      const said = await page.evaluate(() => document.querySelector('.stage').textContent);
      claim(name, 'the page says that there is nothing to draw', said.includes('no bodies to draw'), said);
    }
    await channelsAreRight(name, header);
    await keyboardWorks(name);
    await looksRight(name);
    const end = await page.evaluate(() => ({ errors: window.dalembert.errors, times: window.dalembert.frameTimes() }));
    claim(name, 'nothing went wrong in the page', !end.errors.length, end.errors.join('; '));
    claim(name, 'the console is silent', !seen.console.length, seen.console.join('; '));
    claim(name, 'nothing is loaded but the page', seen.requests.every((u) => u.startsWith('file:') || u.startsWith('blob:') || u.startsWith('data:')), seen.requests.join(' '));
    const sorted = end.times.sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1] * 1000;
    if (median) frameTimes.push(median);
    console.log(`${name.padEnd(40)} ${header.scene.bodies.length} bodies, ${Math.round(opened)} ms to open, ${median ? median.toFixed(1) : '-'} ms a frame, ${Date.now() - before} ms in all`);
  } catch (error) {
    claim(name, 'the page can be tested', false, error.message);
  }
}
if (folder) await indexWorks('index');
await browser.close();
frameTimes.sort((a, b) => a - b);
console.log(`${files.length} pages in ${((Date.now() - started) / 1000).toFixed(1)} s; software rendering of 400 x 368 pixels, median frame ${frameTimes[frameTimes.length >> 1]?.toFixed(1)} ms, slowest page ${frameTimes.at(-1)?.toFixed(1)} ms`);
console.log(failures.length ? `${failures.length} claims do not hold` : 'every claim holds');
process.exit(failures.length ? 1 : 0);
