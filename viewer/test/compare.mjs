/* Pages of comparisons that the program wrote: every error over time, one curve a method; a legend that can be clicked; a table that fits; one mechanism
 * where all agree.
 *   node test/compare.mjs dalembert folder models
 *   SCREENSHOTS=folder      keeps a picture of each page, wide and narrow */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, cramped, faintTexts, failures, launch, nameless, open, read } from './browser.mjs';

const [program, folder, models] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const { browser, page, seen } = await launch();
const api = (f, argument) => page.evaluate(f, argument);

async function show(name, model, ...options) {
  const file = join(folder, `${name}.html`);
  execFileSync(program, ['compare', join(models, model), '-q', '-o', file, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  await open(page, seen, pathToFileURL(file).href);
  return read(file);
}

/* What the page has of its methods now. */
const state = () => api(() => ({
  sentence: document.querySelector('.agreed p')?.textContent ?? '', mechanisms: window.dalembert.view().mechanisms, tabs: window.dalembert.view().tabs,
  plots: [...document.querySelectorAll('.methods .card')].filter((c) => c.querySelector('.uplot, .plot p')).map((c) => c.querySelector('h3').textContent),
  canvases: document.querySelectorAll('.methods .uplot canvas').length,
  drawn: [...document.querySelectorAll('.methods .uplot canvas')].map((c) => c.getAttribute('aria-label').split(': ').at(-1)),
  chips: document.querySelectorAll('.chip').length, rows: document.querySelectorAll('.methods tbody tr').length, missing: document.querySelector('.missing')?.textContent ?? '',
}));

/* Both widths, both grounds: nothing is wider than what holds it. */
async function fits(name) {
  for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [400, 'light'], [400, 'dark']]) {
    await page.setViewportSize({ width, height: 800 });
    await api((t) => { document.documentElement.dataset.theme = t; return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); }, theme);
    const wide = await api(() => ['html', '.side', '.methods', '.folding', '.folding table', '.folding tbody tr', '.folding td', '.folding th', '.agreed', '.chips']
      .flatMap((s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map((e) => `${s}: ${e.scrollWidth} in ${e.clientWidth}, ${e.textContent.slice(0, 20)}`)));
    claim(name, `nothing is wider than its place at ${width} pixels`, !wide.length, wide.slice(0, 4).join('; '));
    const faint = await api(faintTexts);
    claim(name, `texts stand out at ${width} pixels, ${theme}`, !faint.faint.length, faint.faint.slice(0, 4).join('; '));
    const tight = await api(cramped), mute = await api(nameless);
    claim(name, `everything is in reach at ${width} pixels`, !tight.length, tight.join('; '));
    claim(name, 'every control has a name', !mute.length, mute.join('; '));
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${width}-${theme}.png` });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function silent(name) {
  const errors = await api(() => window.dalembert.errors);
  claim(name, 'nothing went wrong in the page', !errors.length, errors.join('; '));
  claim(name, 'the console is silent', !seen.console.length, seen.console.join('; '));
}

const tests = {
  async all_errors_are_plotted_over_time(name) {
    const { header, block } = await show(name, 'cart-two-bars.yaml');
    const now = await state();
    claim(name, 'distance, energy, constraints, momenta of ignorable coordinates', now.plots.length === 5 && ['Distance', 'energy', 'position', 'velocity', 'ignorable'].every((w, i) => now.plots[i].includes(w)), now.plots.join('; '));
    claim(name, 'a canvas each, and a sentence where all is zero: it has no constraint of position', now.canvases === 4 && (await api(() => document.querySelector('.methods .plot p').textContent)).startsWith('Zero throughout'), now.canvases);
    const moving = header.series.filter((s) => s.frames);
    claim(name, 'a chip a motion, a row a method', now.chips === moving.length && now.rows === header.series.length, `${now.chips} ${now.rows}`);
    claim(name, 'no tab without anything in it', now.tabs.join() === 'methods,evidence,equations,model', now.tabs.join());
    /* volterra-reduced holds what lagrange lets drift */
    const largest = (method, channel) => {
      const s = header.series.find((x) => x.name === method), at = s.channels.findIndex((c) => c.name === channel), values = block(s.values);
      return Math.max(...Array.from({ length: s.frames }, (_, i) => values[i * s.channels.length + at]));
    };
    claim(name, 'the reduced equations keep their momentum to rounding, the others do not',
      largest('volterra-reduced, user', 'error.ignorable') < 1e-15 && largest('kane, user', 'error.ignorable') > 1e-11, largest('kane, user', 'error.ignorable'));
    await fits(name);
    await silent(name);
  },

  async zero_stands_at_the_floor_of_a_logarithmic_axis(name) {
    await show(name, 'floating-chain.yaml', '--coordinates', 'joint,natural', '--formulations', 'lagrange', '--no-equations');
    const now = await state();
    claim(name, 'momenta of the model and of ignorable coordinates have a plot each', now.plots.length === 6, now.plots.join('; '));
    const inked = await api(() => {      // the tree has no gap: its curve is the lower edge of the residuals
      const card = document.querySelectorAll('.methods .card')[3], canvas = card.querySelector('canvas'), over = card.querySelector('.u-over').getBoundingClientRect();
      const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
      const row = Math.round((over.bottom - box.top) * scale) - 2, data = canvas.getContext('2d').getImageData(Math.round((over.left - box.left) * scale), row, Math.round(over.width * scale), 4).data;
      let colored = 0;
      for (let x = 0; x < data.length / 16; x++) if ([0, 1, 2, 3].some((y) => { const i = 4 * (x + (y * data.length) / 16); return data[i + 3] > 80 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60; })) colored++;
      return { title: card.querySelector('h3').textContent, share: colored / (data.length / 16) };
    });
    claim(name, 'the line is there', inked.title.includes('position') && inked.share > 0.9, JSON.stringify(inked));
    await silent(name);
    await show(name, 'cart-two-bars.yaml', '--no-equations');
  },

  async a_click_in_the_legend_takes_a_curve_out_and_brings_it_back(name) {
    const before = await state();
    await page.locator('.chip', { hasText: 'kane' }).click();
    const without = await state();
    claim(name, 'out of every plot', before.drawn.every((d) => d.includes('kane')) && without.drawn.every((d) => !d.includes('kane')), without.drawn[0]);
    claim(name, 'and out of the table, as its tick says', await api(() => [...document.querySelectorAll('.methods tbody tr')].filter((r) => r.textContent.includes('kane')).every((r) => !r.querySelector('[type=checkbox]').checked)));
    await page.locator('.chip', { hasText: 'kane' }).click();
    claim(name, 'and back', (await state()).drawn.every((d) => d.includes('kane')));
    await page.getByRole('button', { name: 'none', exact: true }).click();
    claim(name, 'none of them', (await state()).canvases === 0, (await state()).canvases);
    await page.getByRole('button', { name: 'all', exact: true }).click();
    claim(name, 'all of them', (await state()).canvases === before.canvases);
    await page.locator('.chip').first().hover();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /errors of all methods as CSV/ }).click()]);
    const path = join(folder, 'errors.csv');
    await download.saveAs(path);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    claim(name, 'and all of it as CSV', lines.length === 11 * 501 + 1 && lines[0] === 'method,time,difference,error.energy,error.position,error.velocity,error.ignorable', `${lines.length} ${lines[0]}`);
    await silent(name);
  },

  async where_all_agree_one_mechanism_is_shown_and_the_page_says_so(name) {
    const { header } = await show(name, 'four-bar.yaml', '--coordinates', 'all', '--no-equations');
    const now = await state();
    claim(name, 'the sentence', new RegExp(`^All ${header.agreement.methods} methods agree with the reference to [1-9.]+e-1[0-9] of the model’s length, or rad: one mechanism is shown\\.$`).test(now.sentence), now.sentence);
    claim(name, 'one mechanism', now.mechanisms === 1, now.mechanisms);
    claim(name, 'no momentum is conserved, and the page says it', now.missing.startsWith('No momentum'), now.missing);
    await fits(name);
    await page.getByRole('button', { name: 'Show all motions' }).click();
    claim(name, 'all of them on demand', (await state()).mechanisms === header.agreement.methods + 1, (await state()).mechanisms);
    await api(() => document.querySelectorAll('.chip')[3].click());
    const less = await state();
    claim(name, 'less one that is taken out, and the sentence counts it', less.mechanisms === header.agreement.methods && less.sentence.startsWith(`${less.mechanisms} motions are shown`), `${less.mechanisms} ${less.sentence}`);
    await page.getByRole('button', { name: 'Show one mechanism' }).click();
    claim(name, 'and one again', (await state()).mechanisms === 1);
    await silent(name);
  },

  async where_they_do_not_agree_all_are_shown(name) {
    const { header } = await show(name, 'pendulum.yaml', '--integrator', 'rk4', '--step', '0.1', '--no-equations');
    const now = await state();
    claim(name, 'the data says so', header.agreement.agree === false, JSON.stringify(header.agreement));
    claim(name, 'no sentence, all motions', now.sentence === '' && now.mechanisms === header.agreement.methods + 1, `${now.sentence} ${now.mechanisms}`);
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
