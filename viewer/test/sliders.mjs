/* Sliders of a page that `watch` serves: they run the model again, the last runs stay in the plots, what fails leaves the picture as it is.
 *   node test/sliders.mjs dalembert folder      SCREENSHOTS=folder keeps pictures */

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { claim, cramped, failures, faintTexts, launch, nameless, open } from './browser.mjs';

const [, , program, folder] = process.argv;
const shots = process.env.SCREENSHOTS;
mkdirSync(folder, { recursive: true });

/* The mass falls from rest: z = z0 - g t^2 / 2, so that what the page shows has a closed form. 1/m has no value where m is 0. */
const model = `dalembert: 1
name: Falling
space: spatial
parameters: {g: 9.81, m: 2, z0: 3, twice: 2*z0}
bodies: {stone: {mass: m, inertia: [1, 1, 1], position: [0, 0, z0]}}
forces: {weight: {type: force, body: stone, value: [0, 0, -m*g]}}
simulate: {until: 0.5, every: 0.01}
record: [stone.z, "stone.z'"]
`;
const file = resolve(join(folder, 'falling.yaml'));
writeFileSync(file, model);
const watch = spawn(program, ['watch', file, '--port', '0', '-q'], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((give, fail) => { watch.stdout.once('data', (data) => give(String(data).trim())); watch.once('exit', () => fail(new Error('watch ended'))); });

const { browser, page, seen } = await launch();
const name = 'sliders';
const keep = async (what) => { if (shots) await page.screenshot({ path: join(shots, `sliders-${what}.png`) }); };
const values = () => page.evaluate(() => Object.fromEntries(window.dalembert.header.sliders.map((s) => [s.name, s.value])));
const last = () => page.evaluate(() => { window.dalembert.pause(); window.dalembert.setTime(0.5); return window.dalembert.pose('stone').position[2]; });
const runs = () => page.evaluate(() => window.dalembert.runs());
const near = (a, b) => Math.abs(a - b) < 1e-5 * (1 + Math.abs(b));
/* The page loads itself again after what is done. */
const reloaded = async (action) => {
  await page.evaluate(() => { window.before = true; });
  await action();
  await page.waitForFunction(() => !window.before && window.dalembert?.ready, null, { polling: 20, timeout: 20000 });
  await page.evaluate(() => window.dalembert.ready);
};

try {
  for (let i = 0; i < 200 && (await fetch(address)).status === 503; i++) await new Promise((go) => setTimeout(go, 50));
  await open(page, seen, address);
  await page.evaluate(() => window.dalembert.pause());
  claim(name, 'every parameter has a slider and a field', (await page.locator('.slider input[type=range]').count()) === 4 && (await page.locator('.slider input[type=number]').count()) === 4);
  claim(name, 'they begin at the model', JSON.stringify(await values()) === '{"g":9.81,"m":2,"z0":3,"twice":6}', JSON.stringify(await values()));
  claim(name, 'and the motion is that of the model', near(await last(), 3 - 9.81 / 8), String(await last()));

  /* The slider, as a hand moves it: by the keyboard it is released after each key. */
  await reloaded(() => page.getByLabel('Slider of g').evaluate((e) => { e.value = '4.905'; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); }));
  const half = (await values()).g;
  claim(name, 'a slider runs the model with its value', near(half, 4.905) && near(await last(), 3 - half / 8), `${half}, ${await last()}`);
  claim(name, 'the run before is drawn beside it', (await runs()).slice(0, 2).join() === "stone.z: as written,stone.z': as written", (await runs()).join());
  await reloaded(async () => { await page.getByLabel('Value of z0').fill('10'); await page.getByLabel('Value of z0').press('Enter'); });
  claim(name, 'a number may lie outside of the slider', near(await last(), 10 - half / 8) && Number(await page.getByLabel('Slider of z0').inputValue()) === 10, String(await last()));
  claim(name, 'parameters that follow from it follow', (await values()).twice === 20, JSON.stringify(await values()));
  const legend = await page.locator('.pastruns span').allTextContents();
  claim(name, 'a legend names the runs', legend.length === 3 && legend[0] === 'now: g = 4.905, z0 = 10' && legend[1] === 'g = 4.905' && legend[2] === 'as written', legend.join(' | '));
  claim(name, 'the command repeats the run', (await page.evaluate(() => window.dalembert.header.command)).endsWith('--set g=4.905 --set z0=10'), await page.evaluate(() => window.dalembert.header.command));
  await keep('runs-1280');

  /* What fails. */
  await page.getByLabel('Value of m').fill('-1');
  await page.getByLabel('Value of m').press('Enter');
  await page.waitForFunction(() => document.querySelector('.sliders .state.wrong')?.textContent, null, { polling: 20, timeout: 20000 });
  const said = await page.locator('.sliders .state').textContent();
  claim(name, 'a run that fails says why', /mass/.test(said), said);
  claim(name, 'and the picture stays', near(await last(), 10 - half / 8) && (await page.locator('.problems').count()) === 0);
  await keep('failed');

  await reloaded(() => page.getByRole('button', { name: 'Reset' }).click());
  claim(name, 'reset is the model again', near(await last(), 3 - 9.81 / 8) && (await values()).m === 2, JSON.stringify(await values()));
  await page.getByRole('button', { name: 'Forget runs' }).click();
  claim(name, 'runs are forgotten when asked', (await runs()).length === 0 && (await page.locator('.pastruns span').count()) === 0, (await runs()).join());

  /* Hostile requests. The page itself may send; nobody else, and nothing but numbers of parameters. */
  const post = (body, headers = { Origin: new URL(address).origin }) => fetch(`${address}values`, { method: 'POST', body, headers }).then((r) => r.status);
  for (const body of ['g=nan', 'g=inf', 'g=1e999', 'g=0x10', 'g=', 'h=1', '=1', 'g', 'g=1\ng=2', 'g=1 ', 'G=1', '\0', 'g=1\0', `g=${'1'.repeat(100)}`, '__proto__=1', 'stone.z=1', 'g=1+1', '\xff=1'])
    claim(name, `refused: ${JSON.stringify(body.slice(0, 20))}`, (await post(body)) === 400, String(await post(body)));
  claim(name, 'too much is refused', (await post('g=1\n'.repeat(5000))) === 413);
  claim(name, 'other pages are refused', (await post('g=1', { Origin: 'http://example.org' })) === 403 && (await post('g=1', {})) === 403 && (await post('g=1', { Origin: 'null' })) === 403);
  claim(name, 'and who does not know the word', (await fetch(`${new URL(address).origin}/${'0'.repeat(32)}/values`, { method: 'POST', body: 'g=1', headers: { Origin: new URL(address).origin } })).status === 404);
  claim(name, 'nothing ran', near(await last(), 3 - 9.81 / 8));

  /* Saving the model begins anew. */
  await reloaded(async () => { await page.getByLabel('Value of g').fill('1'); await page.getByLabel('Value of g').press('Enter'); });
  await reloaded(() => writeFileSync(file, model.replace('9.81', '5')));
  claim(name, 'a model that is saved counts', near(await last(), 3 - 5 / 8) && (await runs()).length === 0, `${await last()}`);

  for (const width of [1280, 400])
    for (const theme of ['light', 'dark']) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((t) => { if (document.documentElement.dataset.theme !== t) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'd' })); }, theme);
      const { tight, mute } = await page.evaluate(`({ tight: (${cramped})(), mute: (${nameless})() })`);
      const { faint } = await page.evaluate(faintTexts);
      claim(name, `all is in reach, named and read at ${width} pixels, ${theme}`, !tight.length && !mute.length && !faint.length, [...tight, ...mute, ...faint].join('; '));
      await keep(`${width}-${theme}`);
    }
  const errors = await page.evaluate(() => window.dalembert.errors);
  claim(name, 'nothing went wrong', !errors.length && !seen.console.length, [...errors, ...seen.console].join('; '));
} finally {
  await browser.close();
  watch.kill('SIGTERM');
}
claim(name, 'the text of the model was left alone', readFileSync(file, 'utf8').includes('g: 5'));
console.log(failures.length ? `${failures.length} claims do not hold` : 'every claim holds');
process.exit(failures.length ? 1 : 0);
