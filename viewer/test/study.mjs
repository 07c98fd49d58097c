/* Pages of studies, as the program writes them, in a browser.   node test/study.mjs dalembert folder */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, cramped, failures, faintTexts, launch, nameless, open, picture, read } from './browser.mjs';

const [, , program, folder] = process.argv;
mkdirSync(folder, { recursive: true });

const { browser, page, seen } = await launch();
const api = (f, argument) => page.evaluate(f, argument);

/* A mass on a spring: x = a cos w t. */
const oscillator = `dalembert: 1
name: A mass on a spring
space: planar
parameters: {w: 3, a: 1}
ground: {points: {O: {at: [0, 0], x: [1, 0]}}}
bodies: {mass: {mass: 1.3, inertia: 0.1, points: {P: {at: [0, 0], x: [1, 0]}}}}
joints: {A: {type: prismatic, connect: [ground.O, mass.P], start: {distance: a}}}
forces: {k: {type: motor, joint: A, value: -1.3*w^2*A.distance}}
record: [A.distance]
simulate: {until: 0.7, every: 0.07, coordinates: joint, formulation: recursive, rtol: 1e-9, atol: 1e-11}
`;
writeFileSync(join(folder, 'oscillator.yaml'), oscillator);

async function show(name, ...options) {
  const file = join(folder, `${name}.html`);
  execFileSync(program, ['sweep', join(folder, 'oscillator.yaml'), '-q', '-o', file, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  await open(page, seen, pathToFileURL(file).href);
  return { file, ...read(file) };
}

const close = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

async function silent(name) {
  const errors = await api(() => window.dalembert.errors);
  claim(name, 'nothing went wrong in the page', !errors.length, errors.join('; '));
  claim(name, 'the console is silent', !seen.console.length, seen.console.join('; '));
  claim(name, 'nothing is loaded', seen.requests.every((url) => url.startsWith('file:') || url.startsWith('data:') || url.startsWith('blob:')), seen.requests.join(' '));
}

/* Each tab, two widths, two grounds: nothing is wider than its place, texts stand out, controls have names and are in reach. */
async function fits(name) {
  for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [400, 'light'], [400, 'dark']]) {
    await page.setViewportSize({ width, height: 800 });
    if ((await api(() => window.dalembert.view().theme)) !== theme) await page.getByRole('button', { name: /Light or dark/ }).click();
    for (const tab of await api(() => window.dalembert.view().tabs)) {
      await api((key) => { window.dalembert.tab(key); window.scrollTo(0, 0); return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); }, tab);
      const where = `${tab} at ${width} pixels, ${theme}`;
      const wide = await api(() => ['html', '.side', '.side-scroll', '.study-panel', '.card', '.choices', '.chart-box'].flatMap((s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map((e) => `${s}: ${e.scrollWidth} in ${e.clientWidth}`)));
      claim(name, `nothing is wider than its place: ${where}`, !wide.length, wide.slice(0, 4).join('; '));
      const faint = await api(faintTexts);
      claim(name, `texts stand out: ${where}`, !faint.faint.length, faint.faint.slice(0, 4).join('; '));
      const tight = await api(cramped), mute = await api(nameless);
      claim(name, `everything is in reach: ${where}`, !tight.length, tight.join('; '));
      claim(name, `every control has a name: ${where}`, !mute.length, mute.join('; '));
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/study-${tab}-${width}-${theme}.png` });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

/* Is something other than the ground drawn in a chart? */
const inked = () => api(() => {
  const canvas = [...document.querySelectorAll('canvas.chart')].find((c) => c.checkVisibility());
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let n = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 100 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) n++;
  return n;
});

const tests = {
  async the_table_has_what_the_runs_had(name) {
    const { header } = await show('grid', '--vary', 'w=1:4:7', '--vary', 'a=0.5,1,2', '--each', 'end=final(A.distance)', '--each', 'top=max(A.distance)');
    claim(name, 'all of them', header.study.rows === 21 && header.study.motions.length === 21, JSON.stringify([header.study.rows, header.study.motions.length]));
    const wrong = [];
    for (let run = 0; run < 21; run++) {
      const [w, a, end] = await api((r) => ['w', 'a', 'end'].map((n) => window.dalembert.value(r, n)), run);
      if (!close(w, 1 + 0.5 * Math.floor(run / 3), 1e-12) || a !== [0.5, 1, 2][run % 3] || !close(end, a * Math.cos(0.7 * w), 1e-6)) wrong.push(`${run}: ${w} ${a} ${end}`);
    }
    claim(name, 'x = a cos w t in every row', !wrong.length, wrong.slice(0, 3).join('; '));
    const rows = await page.locator('.runs-body .runs-row').count();
    claim(name, 'rows are seen', rows >= 8, rows);
    await silent(name);
  },

  async filters_and_order_hold(name) {
    await page.getByRole('textbox', { name: 'Filter a', exact: true }).fill('>=1');
    await page.getByRole('textbox', { name: 'Filter w', exact: true }).fill('2..3');
    claim(name, 'two filters', (await api(() => window.dalembert.count())) === 6, await api(() => window.dalembert.count()));
    await page.getByRole('textbox', { name: 'Filter top', exact: true }).fill('nonsense');
    claim(name, 'one that cannot be understood is marked and changes nothing', (await page.getByRole('textbox', { name: 'Filter top', exact: true }).getAttribute('aria-invalid')) === 'true' && (await api(() => window.dalembert.count())) === 6);
    await page.getByRole('button', { name: /^end/ }).click();
    const up = await api(() => window.dalembert.shown().map((r) => window.dalembert.value(r, 'end')));
    claim(name, 'ascending', up.every((v, i) => !i || v >= up[i - 1]), up.join(' '));
    await page.getByRole('button', { name: /^end/ }).click();
    const down = await api(() => window.dalembert.shown().map((r) => window.dalembert.value(r, 'end')));
    claim(name, 'descending', down.every((v, i) => !i || v <= down[i - 1]) && down.length === 6, down.join(' '));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
    await download.saveAs(join(folder, 'shown.csv'));
    const lines = readFileSync(join(folder, 'shown.csv'), 'utf8').trim().split('\n');
    claim(name, 'as CSV: what is shown, in its order', lines.length === 7 && lines[0].startsWith('run,w,a,end,top') && close(Number(lines[1].split(',')[3]), down[0], 0), lines.slice(0, 2).join(' | '));
    await page.getByRole('button', { name: 'all runs' }).click();
    claim(name, 'and all again', (await api(() => window.dalembert.count())) === 21);
    await silent(name);
  },

  async a_click_on_a_point_moves_that_run(name) {
    await page.getByRole('tab', { name: 'Points' }).click();
    for (const run of [4, 17]) {
      const { x, y } = await api((r) => window.dalembert.place(r), run);
      await page.locator('canvas.chart:visible').click({ position: { x, y } });
      const now = await api(() => ({ selected: window.dalembert.view().selected, moving: window.dalembert.moving(), text: document.querySelector('.chosen-run h3').textContent }));
      claim(name, `run ${run} is chosen and moves`, now.selected === run && now.moving === run && now.text === `Run ${run}`, JSON.stringify(now));
      const wrong = [];
      for (const t of [0, 0.14, 0.35, 0.7]) {
        const [pose, w, a] = await api(([r, time]) => { window.dalembert.setTime(time); return [window.dalembert.pose('mass'), window.dalembert.value(r, 'w'), window.dalembert.value(r, 'a')]; }, [run, t]);
        if (!close(pose.position[0], a * Math.cos(w * t), 1e-5)) wrong.push(`${t}: ${pose.position[0]} for ${a * Math.cos(w * t)}`);
      }
      claim(name, 'as x = a cos w t says', !wrong.length, wrong.join('; '));
    }
    const { drawn, moved } = await api(picture, [0, 0.35, 0.7]);
    claim(name, 'it is drawn and it moves', drawn > 0.001 && moved > 20, `${drawn} ${moved}`);
    const command = await api(() => window.dalembert.command(17));
    claim(name, 'the command that repeats it', command === 'dalembert run oscillator.yaml --set w=3.5 --set a=2 -o run-17.html', command);
    await silent(name);
  },

  async keys_step_and_open_views(name) {
    const after = async (key) => { await page.keyboard.press(key); return api(() => window.dalembert.time()); };
    const [start, one, two, end, back] = [await after('Home'), await after('ArrowRight'), await after('ArrowRight'), await after('End'), await after('Shift+ArrowLeft')];
    claim(name, 'arrows go from frame to frame, with shift ten', one > start && Math.abs(two - start - 2 * (one - start)) < 1e-9 && Math.abs(end - back - 10 * (one - start)) < 1e-9, [start, one, two, end, back].join());
    await page.keyboard.press('1');
    claim(name, 'a number opens a view', (await api(() => window.dalembert.view().tab)) === 'table');
  },

  async the_command_makes_the_page_of_that_run(name) {
    const command = await api(() => window.dalembert.command(17)), words = command.split(' ').slice(1);
    execFileSync(program, [...words, '-q'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const { header, block } = read(join(folder, 'run-17.html')), series = header.series[0], at = series.channels.findIndex((c) => c.name === 'A.distance');
    const end = block(series.values)[(series.frames - 1) * series.channels.length + at];
    claim(name, 'with the same numbers', end === (await api(() => window.dalembert.value(17, 'end'))), end);
  },

  async responses_maps_and_distributions_are_those_of_the_runs(name) {
    await page.getByRole('tab', { name: 'Response' }).click();
    const curves = await api(() => window.dalembert.curves());
    claim(name, 'a line for each amplitude', curves.length === 3 && curves.every((c) => c.points.length === 7), JSON.stringify(curves.map((c) => [c.label, c.points.length])));
    const off = curves.flatMap((c, i) => c.points.map(([w, v]) => Math.abs(v - [0.5, 1, 2][i] * Math.cos(0.7 * w))));
    claim(name, 'each of them a cos w T', Math.max(...off) < 1e-6, Math.max(...off));
    claim(name, 'lines are drawn', (await inked()) > 300, await inked());
    await page.getByRole('tab', { name: 'Map' }).click();
    const cells = await api(() => window.dalembert.cells().map((c) => c.n));
    claim(name, 'a cell for each combination', cells.length === 21 && cells.every((n) => n === 1), cells.join());
    claim(name, 'and they are drawn', (await inked()) > 10000, await inked());
    const { x, y } = await api(() => window.dalembert.place(5));
    await page.locator('canvas.chart:visible').click({ position: { x, y } });
    claim(name, 'a click on a cell shows its run', (await api(() => window.dalembert.moving())) === 5, await api(() => window.dalembert.moving()));
    await page.getByRole('tab', { name: 'Distribution' }).click();
    const counts = await api(() => window.dalembert.counts());
    claim(name, 'every run is counted once', counts.reduce((a, b) => a + b, 0) === 21, counts.join());
    await silent(name);
    await fits(name);
    await silent(name);
  },

  async chance_has_bands_over_time(name) {
    const { header, block } = await show('chance', '--vary', 'a=uniform(1,2)', '--vary', 'w=2,4', '--random', '400', '--sampling', 'latin-hypercube', '--each', 'end=final(A.distance)', '--channels', 'A.distance', '--motions', '12');
    const { bands } = header.study, time = block(bands.time);
    claim(name, 'of all runs and of each frequency', bands.groups.length === 3 && bands.groups[1].label === 'w = 2', JSON.stringify(bands.groups.map((g) => g.label)));
    const off = [];
    for (const [g, w] of [[1, 2], [2, 4]])
      time.forEach((t, k) => bands.levels.forEach((p, i) => {
        const c = Math.cos(w * t), q = c >= 0 ? 1 + p : 2 - p;      // of a cos w t with a uniform on [1, 2]
        off.push(Math.abs(block(bands.groups[g].blocks[0])[k * bands.levels.length + i] - c * q));
      }));
    claim(name, 'they are the quantiles of a cos w t, to a stratum', Math.max(...off) < 2.5 / 400, Math.max(...off));
    await page.getByRole('tab', { name: 'Over time' }).click();
    claim(name, 'they are drawn', (await inked()) > 5000, await inked());
    const moving = await api(() => window.dalembert.motions());
    claim(name, 'as many runs move as were asked for', moving.length === 12, moving.length);
    const still = await api(() => { const all = window.dalembert.motions(); let run = 0; while (all.includes(run)) run++; window.dalembert.select(run); return { run, selected: window.dalembert.view().selected, moving: window.dalembert.moving(), text: document.querySelector('.stand-in')?.textContent ?? '' }; });
    claim(name, 'in place of one that does not the nearest moves, and the page says so', still.selected === still.run && moving.includes(still.moving) && still.text.includes(`run ${still.moving}`), JSON.stringify(still));
    await silent(name);
    await fits(name);
    await silent(name);
  },

  async runs_that_fail_have_their_reason(name) {
    await show('failing', '--vary', 'formulation=recursive,volterra-reduced', '--vary', 'a=1,2', '--each', 'end=final(A.distance)');
    const text = await api(() => [...document.querySelectorAll('.runs-body .runs-row')].map((r) => r.textContent));
    claim(name, 'two of four, with a sentence', text.length === 4 && text.filter((t) => t.includes('refused') && t.includes('needs ignorable coordinates')).length === 2, text.join(' | '));
    await page.getByRole('textbox', { name: 'Filter status', exact: true }).fill('ok');
    claim(name, 'a filter by word', (await api(() => window.dalembert.count())) === 2);
    await silent(name);
  },

  async many_rows_stay_usable(name) {
    const { file, header } = await show('many', '--vary', 'w=1:4:250', '--vary', 'a=0.5:2:200', '--until', '0.02', '--every', '0.01', '--integrator', 'rk4', '--step', '0.01', '--each', 'end=final(A.distance)');
    claim(name, 'fifty thousand rows', header.study.rows === 50000 && header.study.motions.length === 40, header.study.rows);
    claim(name, 'not more than a few numbers a row', statSync(file).size < 12e6, statSync(file).size);
    claim(name, 'few rows are elements', (await page.locator('.runs-body .runs-row').count()) < 60);
    await api(() => { const box = document.querySelector('.runs'); box.scrollTop = box.scrollHeight; return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); });
    claim(name, 'the last one is reached', await api(() => [...document.querySelectorAll('.runs-body .runs-row')].some((r) => r.firstChild.textContent === '49999')));
    await api(() => window.dalembert.sort('end', true));
    const top = await api(() => window.dalembert.shown(3).map((r) => window.dalembert.value(r, 'end')));
    claim(name, 'sorted', close(top[0], 2 * Math.cos(0.02), 1e-6) && top[0] >= top[1] && top[1] >= top[2], top.join(' '));
    await page.getByRole('tab', { name: 'Points' }).click();
    claim(name, 'points become a density', (await api(() => window.dalembert.dense())) && (await inked()) > 5000, await inked());
    await page.getByRole('tab', { name: 'Map' }).click();
    claim(name, 'every cell has its run', await api(() => window.dalembert.cells().length === 50000 && window.dalembert.cells().every((c) => c.n === 1)));
    await silent(name);
  },
};

for (const [name, test] of Object.entries(tests)) {
  const before = failures.length;
  const from = Date.now();
  try {
    await test(name);
  } catch (error) {
    claim(name, 'the test ran to its end', false, error.message);
  }
  console.log(`${failures.length === before ? 'ok    ' : 'not ok'}  ${name} (${Date.now() - from} ms)`);
}
await browser.close();
console.log(failures.length ? `${failures.length} claims do not hold` : `all ${Object.keys(tests).length} tests passed`);
process.exit(failures.length ? 1 : 0);
