/* Equations on pages: the tab of a report, and a page of equations alone.
 *   node test/equations.mjs dalembert folder ../models      SCREENSHOTS=folder keeps pictures */

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, failures, faintTexts, launch, nameless, open } from './browser.mjs';

const [, , program, folder, models] = process.argv;
const shots = process.env.SCREENSHOTS;
mkdirSync(folder, { recursive: true });

const make = (name, command, ...options) => {
  const file = resolve(join(folder, `${name}.html`));
  execFileSync(program, [command, ...options, '-o', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  return { name, file, url: pathToFileURL(file).href };
};
const model = (name) => join(models, `${name}.yaml`);
const alone = make('equations-alone', 'derive', model('cart-two-bars'), '--formulation', 'lagrange,kane,udwadia-kalaba', '--steps');
const report = make('equations-report', 'run', model('four-bar'), '--until', '0.2', '--coordinates', 'joint', '--formulation', 'lagrange');
const small = make('equations-pendulum', 'run', model('pendulum'), '--until', '0.2');
const bicycle = make('equations-bicycle', 'run', model('whipple-bicycle'), '--until', '0.02');
const andrews = make('equations-andrews', 'run', model('andrews'), '--until', '0.001');
const large = make('equations-large', 'run', model('n-pendulum'), '--set', 'N=50', '--until', '0.01');

const { browser, page, seen } = await launch();
await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);

/* In all formulations, with everything unfolded, nothing is wider than the page, and every formula has a size. */
async function fits(name, width) {
  await page.setViewportSize({ width, height: 800 });
  const found = await page.evaluate(() => {
    const bad = [], menu = document.querySelector('.equations select');
    let formulas = 0;
    for (const option of menu.options) {
      menu.value = option.value;
      menu.dispatchEvent(new Event('change'));
      for (const fold of document.querySelectorAll('.equations section:not([hidden]) details')) fold.open = true;
      const box = document.querySelector('.equations .card').getBoundingClientRect();
      for (const math of document.querySelectorAll('.equations section:not([hidden]) math')) {
        const own = math.getBoundingClientRect();
        formulas++;
        if (own.right > box.right + 1 || own.width === 0) bad.push(`${option.value}: ${math.textContent.slice(0, 60)} ends at ${own.right}, the card at ${box.right}`);
      }
    }
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1) bad.push(`the page is ${document.documentElement.scrollWidth} wide`);
    menu.selectedIndex = 0;
    menu.dispatchEvent(new Event('change'));
    return { bad, formulas };
  });
  claim(name, `every formula fits ${width} pixels`, !found.bad.length && found.formulas > 20, `${found.formulas} formulas; ${found.bad.slice(0, 3).join('; ')}`);
}

async function looksRight(name) {
  for (const [width, theme] of [[1280, 'light'], [400, 'dark'], [400, 'light'], [1280, 'dark']]) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate((t) => { document.documentElement.dataset.theme = t; }, theme);
    const faint = await page.evaluate(faintTexts);
    claim(name, `texts and formulas stand out at ${width} pixels, ${theme}`, !faint.faint.length && faint.count > 40, faint.faint.slice(0, 5).join('; '));
    const mute = await page.evaluate(nameless);
    claim(name, 'every control has a name', !mute.length, mute.join('; '));
    if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`), fullPage: true });
  }
}

/* The menu, the font, the copy, terms by a click and by the keyboard, and the fold. */
async function works(name, formulations) {
  const menu = page.locator('.equations select');
  const names = await menu.locator('option').evaluateAll((list) => list.map((o) => o.value));
  claim(name, 'the menu has the formulations', formulations.every((f) => names.includes(f)), names.join());
  const font = await page.evaluate(() => document.fonts.ready.then(() => document.fonts.check('17px "Dalembert Math"') && [...document.fonts].every((f) => f.status === 'loaded')));
  claim(name, 'the font of the page is used', font);
  for (const formulation of formulations) {
    await menu.selectOption(formulation);
    const seenNow = await page.evaluate(() => [...document.querySelectorAll('.equations section')].filter((s) => s.checkVisibility()).map((s) => s.dataset.name));
    claim(name, 'the menu shows one formulation', seenNow.join() === formulation, seenNow.join());
    await page.getByRole('button', { name: 'Copy the equations as LaTeX' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    claim(name, 'the button copies LaTeX', copied.includes('\\begin{align*}') && copied.includes(`: ${formulation}, coordinates`), copied.slice(0, 80));
  }
  await menu.selectOption(formulations[0]);
  const term = page.locator('.equations section:not([hidden]) .eq .t[title]').first();
  await term.click();
  const said = () => page.locator('.chosen-term').textContent();
  claim(name, 'a click on a term says where it comes from', (await said()) === (await term.getAttribute('title')), await said());
  const equation = page.locator('.equations section:not([hidden]) > .eq[tabindex]').last();
  const titles = await equation.locator('.t[title]').evaluateAll((list) => list.map((t) => t.title));
  await equation.focus();
  for (const [key, wanted] of [['ArrowRight', titles[0]], ['ArrowRight', titles[1]], ['ArrowLeft', titles[0]], ['ArrowLeft', titles.at(-1)], ['Escape', '']]) {
    await page.keyboard.press(key);
    claim(name, `${key} goes along the terms`, (await said()) === wanted, `${await said()}, not ${wanted}`);
  }
  const colours = await page.evaluate(() => ['gyroscopic', 'inertia'].map((kind) => { const t = document.querySelector(`.equations section:not([hidden]) .t.${kind}`); return t && getComputedStyle(t).color; }));
  claim(name, 'centrifugal forces and inertia have colours of their own', colours[0] && colours[1] && colours[0] !== colours[1], colours.join());
  const fold = page.locator('.equations section:not([hidden]) details.steps');
  claim(name, 'the derivation is folded up', !(await fold.evaluate((d) => d.open)));
  await fold.locator('summary').focus();
  await page.keyboard.press('Enter');
  claim(name, 'and unfolds by the keyboard', (await fold.evaluate((d) => d.open)) && (await fold.locator('.eq').count()) > 2);
}

async function silent(name) {
  const errors = await page.evaluate(() => window.dalembert.errors);
  claim(name, 'nothing went wrong', !errors.length && !seen.console.length, [...errors, ...seen.console].join('; '));
  claim(name, 'nothing is loaded but the page', seen.requests.every((u) => u.startsWith('file:') || u.startsWith('data:') || u.startsWith('blob:')), seen.requests.join(' '));
}

await open(page, seen, alone.url);
await works(alone.name, ['lagrange', 'kane']);
for (const width of [400, 1280]) await fits(alone.name, width);
await looksRight(alone.name);
await silent(alone.name);

await page.emulateMedia({ colorScheme: 'light' });
await open(page, seen, report.url);
await page.locator('#tab-equations').click();
await works(report.name, ['lagrange', 'kane', 'maggi']);
for (const width of [400, 1280]) await fits(report.name, width);
await looksRight(report.name);
const first = await page.locator('.equations option').first().getAttribute('value');
claim(report.name, 'the view has the formulation of the menu', (await page.evaluate(() => window.dalembert.view().formulation)) === first, first);
claim(report.name, 'the formulation of the run stands first', first === (await page.evaluate(() => window.dalembert.header.options.find((o) => o[0] === 'formulation')[1])), first);
await silent(report.name);

const bytes = (file) => statSync(file).size;

/* What does not fit a page is shown in named quantities, all of it. Sections are unpacked when they are chosen; a click on a name shows what it is. */
const all = ['lagrange', 'maggi', 'kane', 'gibbs-appell', 'volterra', 'boltzmann-hamel', 'udwadia-kalaba', 'udwadia-phohomsiri', 'recursive', 'component'];
for (const [one, long] of [[bicycle, 'kane'], [andrews, 'recursive']]) {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, seen, one.url);
  await page.locator('#tab-equations').click();
  const filled = () => page.evaluate(() => [...document.querySelectorAll('.equations section')].filter((s) => s.firstChild).length);
  claim(one.name, 'one formulation is unpacked at first', (await filled()) === 1, await filled());
  const names = await page.locator('.equations option').evaluateAll((list) => list.map((o) => o.value));
  claim(one.name, 'every formulation is there', all.every((f) => names.includes(f)), names.join());
  const undone = await page.locator('.equations .undone').evaluateAll((list) => list.map((d) => d.textContent).join());
  claim(one.name, 'nothing is too long for the page', !undone.includes('too long') && !undone.includes('too large'), undone);
  await page.locator('.equations select').selectOption(long);
  const copied = await page.evaluate(() => document.querySelector('.equations section:not([hidden]) pre.tex').textContent);
  const counts = await page.evaluate(() => [document.querySelectorAll('.equations section:not([hidden]) .eq.z').length, document.querySelectorAll('.equations section:not([hidden]) details.quantities').length]);
  const written = (copied.match(/^(?:\$\\displaystyle )?z_\{\d+\} = /gm) ?? []).length;
  claim(one.name, 'the page has the named quantities of the LaTeX text', counts[0] === written && written > 20 && counts[1] > 0, `${counts}, ${written}`);
  const z = page.locator('.equations section:not([hidden]) > .eq .t msub', { hasText: /^z\d+$/ }).last();
  await z.click();
  const told = await page.locator('.chosen-term .eq').textContent().catch(() => '');
  claim(one.name, 'a click on a named quantity shows what it is', told.startsWith(`${await z.textContent()}=`), told.slice(0, 60));
  await fits(one.name, 400);
  await silent(one.name);
}
await open(page, seen, small.url);
const tab = await page.evaluate(() => document.getElementById('equations').textContent.length);
claim(small.name, 'the equations of a pendulum take less than 10 kB', tab < 10000, tab);

await open(page, seen, large.url);
await page.locator('#tab-equations').click();
const told = await page.locator('#panel-equations').textContent();
claim(large.name, 'a large model says which command derives its equations', told.includes('dalembert derive') && told.includes('too large'), told.slice(0, 200));
await silent(large.name);

/* While `watch` serves the page, the equations are those of the model as it is now, and the formulation stays what was chosen. */
const text = (letter) => `dalembert: 1
name: Watched
space: planar
parameters: {${letter}: 2, g: 9.81}
gravity: [0, -g]
coordinates: {x: {start: 0}}
bodies: {cart: {mass: ${letter}, position: [x, 0.1*x^2]}}
simulate: {until: 0.1}
`;
const watched = resolve(join(folder, 'watched.yaml'));
writeFileSync(watched, text('before'));
const server = spawn(program, ['watch', watched, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
const url = await new Promise((found, never) => {
  let said = '';
  const listen = (data) => { said += data; const match = said.match(/http:\/\/\S+\//); if (match) found(match[0]); };
  server.stdout.on('data', listen);
  server.stderr.on('data', listen);
  server.on('exit', () => never(new Error(`watch ended: ${said}`)));
});
await open(page, seen, url);
await page.locator('#tab-equations').click();
await page.locator('.equations select').selectOption('kane');
claim('watch', 'the tab has the model', (await page.locator('.equations section:not([hidden]) .letters').first().textContent()).includes('before'));
writeFileSync(watched, text('behind'));
const renewed = await page.waitForFunction(() => [...document.querySelectorAll('.equations section:not([hidden]) .letters')].some((p) => p.textContent.includes('behind')), null, { timeout: 15000 }).catch(() => null);
claim('watch', 'the tab follows the model', renewed !== null);
claim('watch', 'the tab and the formulation stay', (await page.locator('#panel-equations').isVisible()) && (await page.locator('.equations select').inputValue()) === 'kane');
server.removeAllListeners('exit');
server.kill();

await browser.close();
console.log(`pages of ${bytes(alone.file)}, ${bytes(report.file)}, ${bytes(small.file)} bytes; the tab of the pendulum has ${tab}`);
console.log(failures.length ? `${failures.length} claims do not hold` : 'every claim holds');
process.exit(failures.length ? 1 : 0);
