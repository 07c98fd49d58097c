/* The viewer by itself, on pages of motions with closed forms: node test/page.mjs */

import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { claim, cramped, faintTexts, failures, launch, open, picture } from './browser.mjs';
import { HOSTILE, brokenPage, chainPage, comparePage, fourBar, fourBarPage, galleryPage, hostilePage, pageOf, Blocks, seriesOf, spatialPage } from './sample.mjs';

const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
const { browser, page, seen } = await launch();
const api = (f, argument) => page.evaluate(f, argument);

async function show(name, html) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  await open(page, seen, pathToFileURL(file).href);
}

async function silent(name) {
  const errors = await api(() => window.dalembert.errors);
  claim(name, 'nothing went wrong in the page', !errors.length, errors.join('; '));
  claim(name, 'the console is silent', !seen.console.length, seen.console.join('; '));
  claim(name, 'nothing is loaded but the page', seen.requests.every((u) => u.startsWith('file:')), seen.requests.join(' '));
}

const tests = {
  async a_planar_model_opens_flat_and_stands_where_the_closed_form_says(name) {
    const { html, motion } = fourBarPage();
    await show(name, html);
    const view = await api(() => window.dalembert.view());
    claim(name, 'the camera is flat', view.camera.flat);
    const t = 1.2345;      // between two frames
    const shown = await api((x) => { window.dalembert.setTime(x); return { t: window.dalembert.time(), pose: window.dalembert.pose('bar3') }; }, t);
    const exact = motion.pose(t).slice(14);
    const gap = Math.max(...[...shown.pose.position, ...shown.pose.quaternion].map((v, i) => Math.abs(v - exact[i])));
    claim(name, 'between frames the error is that of the straight line, h^2 max|x\'\'| / 8', gap < (0.01 ** 2 * 4 * 0.785 * 1.7 ** 2 * 2) / 8 + 1e-6, gap);
    await silent(name);
  },

  async it_moves_when_opened_unless_the_reader_wants_no_motion(name) {
    claim(name, 'with reduced motion it rests', !(await api(() => window.dalembert.playing())));
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await show(name, fourBarPage().html);
    await page.waitForFunction(() => window.dalembert.time() > 0, null, { polling: 'raf', timeout: 10000 }).catch(() => claim(name, 'otherwise it plays', false));
    await page.emulateMedia({ reducedMotion: 'reduce' });
  },

  async energy_and_residuals_are_plotted_without_asking(name) {
    await show(name, fourBarPage().html);
    const shown = await api(() => ({ names: window.dalembert.channels(), titles: [...document.querySelectorAll('#panel-plots .card h3')].map((h) => h.textContent), canvases: document.querySelectorAll('#panel-plots .uplot canvas').length }));
    for (const wanted of ['energy.balance', 'constraint.position', 'constraint.velocity']) claim(name, wanted, shown.names.includes(wanted));
    claim(name, 'a plot a unit and three of the checks', shown.titles.length === 5 && shown.canvases === 5, shown.titles.join('; '));
  },

  async a_click_in_a_plot_sets_the_time_and_the_line_follows_the_animation(name) {
    const box = await page.locator('#panel-plots .u-over').first().boundingBox();
    await page.mouse.click(box.x + 0.6 * box.width, box.y + 40);
    const t = await api(() => window.dalembert.time());
    claim(name, 'the time is that of the click', Math.abs(t - 3) < 0.1, t);
    const moved = await api(() => { window.dalembert.setTime(1); const a = document.querySelector('.playhead').getBoundingClientRect().x; window.dalembert.setTime(2); return document.querySelector('.playhead').getBoundingClientRect().x - a; });
    claim(name, 'the line moves by a second of the axis', Math.abs(moved - box.width / 5) < 3, moved);
  },

  async a_drag_zooms_and_a_button_shows_all_again(name) {
    const box = await page.locator('#panel-plots .u-over').first().boundingBox(), all = page.getByRole('button', { name: 'Show the whole time' });
    claim(name, 'there is no button before', (await all.count()) === 0);
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 40, { steps: 3 });
    const at = await api(() => document.querySelector('#panel-plots .at').textContent);
    claim(name, 'the time under the pointer is told', /^at 2\.[45]\d* s$/.test(at), at);
    await page.mouse.up();
    claim(name, 'all plots are zoomed', (await all.count()) === 5, await all.count());
    await all.first().click();
    claim(name, 'and show all again', (await all.count()) === 0, await all.count());
    await page.mouse.move(5, 5);
  },

  async csv_has_the_numbers_of_the_page(name) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download the plotted channels as CSV' }).click()]);
    const path = join(folder, 'plot.csv');
    await download.saveAs(path);
    const lines = readFileSync(path, 'utf8').trim().split('\n').map((l) => l.split(','));
    const { motion } = fourBar();
    claim(name, 'a row a frame and a column a plotted channel', lines.length === 502 && lines[0][0] === 'time' && lines[0].includes('bar1.x'), lines[0].join());
    claim(name, 'all digits', Number(lines[101][lines[0].indexOf('bar1.x')]) === motion.channels[0][2](Number(lines[101][0])));
    const [png] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download this plot as PNG' }).first().click()]);
    claim(name, 'and a plot comes as PNG', png.suggestedFilename().endsWith('.png'));
  },

  async a_phase_plot_draws_one_channel_against_another(name) {
    await page.getByRole('button', { name: /Add a phase plot/ }).click();
    const inked = await api(() => {
      const canvas = document.querySelector('canvas.phase');
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let blue = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 2] > data[i] + 60 && data[i + 3] > 100) blue++;
      return { blue, choices: [...document.querySelectorAll('.readout select')].map((s) => s.value) };
    });
    claim(name, 'a curve is there', inked.blue > 200, inked.blue);
    claim(name, 'a channel and its rate are proposed', inked.choices.join() === "bar1.angle,bar1.angle'", inked.choices.join());
    await silent(name);
  },

  async messages_lead_to_their_line(name) {
    await page.keyboard.press('2');
    await page.locator('.messages .link').first().click();
    const marked = await api(() => ({ tab: window.dalembert.view().tab, line: document.querySelector('.line.marked .number')?.textContent }));
    claim(name, 'the line of the note is marked in the text', marked.tab === 'model' && marked.line === '6', JSON.stringify(marked));
  },

  async a_spatial_scene_of_every_kind_of_part_draws(name) {
    await show(name, spatialPage().html);
    claim(name, 'the camera is in space', !(await api(() => window.dalembert.view().camera.flat)));
    const drawn = await api(picture, [0.4, 1.3]);
    claim(name, 'it is seen, and moves', drawn.drawn > 0.01 && drawn.moved > 50, JSON.stringify(drawn));
    for (const key of ['r', 'v', 'l', 't', 'c', 'j', 'm', 'g', 'p', 'o', '[', ']', '+', '-', 'f']) await page.keyboard.press(key);
    const view = await api(() => window.dalembert.view());
    claim(name, 'keys switch what they name', view.switches.reactions && view.switches.labels && !view.switches.joints && !view.switches.centers && !view.switches.grid && view.camera.flat && !view.loop && view.traces === 1 && view.follow === 0, JSON.stringify(view));
    await silent(name);
  },

  async the_reader_chooses_light_or_dark(name) {
    const tone = () => api(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor, window.dalembert.view().theme].join());
    const first = await tone();
    await page.keyboard.press('d');
    const second = await tone();
    claim(name, 'd turns the light off', first.startsWith('light,rgb(243') && second.startsWith('dark,rgb(18'), `${first} ${second}`);
    await page.keyboard.press('d');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.keyboard.press('?');
    claim(name, 'a choice stays whatever the system says', (await tone()).startsWith('light'));
    await page.keyboard.press('Escape');
    await page.emulateMedia({ colorScheme: 'light' });
    await silent(name);
  },

  async hostile_names_are_text_and_run_nothing(name) {
    await show(name, hostilePage().html);
    await page.keyboard.press('l');
    for (const tab of ['1', '2', '3']) await page.keyboard.press(tab);
    const state = await api(() => ({ hacked: window.hacked, images: document.images.length, scripts: document.querySelectorAll('script:not([type])').length, text: document.body.textContent, title: document.title, labels: [...document.querySelectorAll('.label')].map((l) => l.textContent) }));
    claim(name, 'nothing ran', state.hacked === undefined && state.images === 0 && state.scripts === 1, JSON.stringify([state.hacked, state.images, state.scripts]));
    claim(name, 'the names are there as they are written', HOSTILE.slice(0, 3).every((n) => state.labels.includes(n)) && state.title.startsWith(HOSTILE[0]));
    await silent(name);
  },

  async scripts_from_outside_the_page_are_refused(name) {
    let asked = 0;
    const server = createServer((_request, response) => { asked++; response.end(); });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const ran = await api(async (port) => {
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 2';
      document.body.append(script);
      const image = document.createElement('img');
      const failed = new Promise((done) => { image.onerror = image.onload = done; });
      image.src = `http://127.0.0.1:${port}/x.png`;
      document.body.append(image);
      await failed;
      return fetch(`http://127.0.0.1:${port}/`).then(() => 'fetched', () => window.hacked ?? 'refused');
    }, server.address().port);
    claim(name, 'by the policy of the page', ran === 'refused', ran);
    claim(name, 'and no request arrives anywhere', asked === 0, asked);
    server.close();
  },

  async a_comparison_shows_a_wrong_method_at_once(name) {
    await show(name, comparePage().html);
    const state = await api(() => ({ rows: document.querySelectorAll('.methods tbody tr').length, curves: document.querySelectorAll('.methods .readout > span').length, text: document.querySelector('.methods').textContent, tab: window.dalembert.view().tab }));
    claim(name, 'a row a method, the failed one with its reason', state.rows === 4 && state.text.includes('too small'));
    claim(name, 'an error curve for each that has errors', state.curves === 2, state.curves);
    claim(name, 'a short legend is open', await api(() => document.querySelector('.legend').open));
    const poses = await api(() => {
      window.dalembert.setTime(2.5);
      const first = window.dalembert.pose('bar2').position[0];
      window.dalembert.select('a wrong one');
      window.dalembert.setTime(2.5);
      return [first, window.dalembert.pose('bar2').position[0]];
    });
    claim(name, 'the chosen method is the one that is read', Math.abs(poses[0] - poses[1]) > 0.05, poses.join());
    const hidden = await api(() => { const a = window.dalembert.view().triangles; document.querySelectorAll('.methods tbody input[type=checkbox]')[2].click(); window.dalembert.setTime(2.5); return [a, window.dalembert.view().triangles]; });
    claim(name, 'a method can be taken out of the picture', hidden[1] < hidden[0], hidden.join());
    await silent(name);
  },

  async a_gallery_moves_and_links_only_beside_itself(name) {
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await show(name, galleryPage().html);
    await page.waitForFunction(() => window.dalembert.time() > 0.05, null, { timeout: 10000 }).catch(() => claim(name, 'thumbnails move', false));
    const links = await api(() => [...document.querySelectorAll('.model-card')].map((a) => a.getAttribute('href')));
    claim(name, 'a card a model, and no script and no other host for a link', links.length === 12 && links.filter((l) => l === null).length === 2 && links[0] === 'model-1.html', links.join());
    claim(name, 'only thumbnails in sight are drawn', (await api(() => window.dalembert.view().drawn)) < 13);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await silent(name);
  },

  async a_model_that_cannot_be_read_shows_its_message(name) {
    await show(name, brokenPage().html);
    const text = await api(() => document.querySelector('#panel-evidence').textContent);
    claim(name, 'with the line', text.includes("unknown key 'mas'") && text.includes('line 6, column 11'), text.slice(0, 80));
    claim(name, 'on a page in order', !(await api(cramped)).some((w) => w.startsWith('the page')) && !(await api(faintTexts)).faint.length);
    await silent(name);
  },

  async a_page_that_was_cut_says_so(name) {
    const { html } = fourBarPage();
    const at = html.indexOf('id="block-1">') + 200;
    writeFileSync(join(folder, 'cut.html'), html.slice(0, at) + html.slice(at + 4000));
    await page.goto(pathToFileURL(join(folder, 'cut.html')).href);
    const text = await api(() => document.querySelector('.broken')?.textContent ?? '');
    claim(name, 'instead of showing wrong numbers', text.includes('block 1 has'), text);
  },

  async a_live_page_keeps_its_view_and_shows_problems(name) {
    const blocks = new Blocks();
    const { scene, motion } = fourBar();
    const html = pageOf({ format: 'dalembert', version: 1, kind: 'run', title: 'Live', program: '0.1.0', command: '', model: { file: 'm.yaml', hash: '', text: 'a\nb\nc\n' }, scene, series: [seriesOf(blocks, 'run', motion)] }, blocks, true);
    const listeners = [];
    const server = createServer((request, response) => {
      if (request.url === '/events') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': here\n\n');
        listeners.push(response);
      } else if (request.url === '/') response.end(html, 'utf8');
      else response.writeHead(404).end();
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    await open(page, seen, `http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => true);
    while (!listeners.length) await new Promise((done) => setTimeout(done, 20));
    await api(() => { window.dalembert.setTime(1.5); window.dalembert.show(['bar1.y']); window.old = true; });
    await page.keyboard.press('+');
    const before = await api(() => window.dalembert.view().camera.distance);
    listeners.at(-1).write('event: problem\ndata: {"messages": [{"severity": "error", "text": "no such <b>body</b>", "line": 2, "column": 1}], "text": "a\\nb2\\nc"}\n\n');
    await page.waitForSelector('.problems', { timeout: 5000 });
    const problem = await api(() => ({ text: document.querySelector('.problems').textContent, line: document.querySelector('.problems .marked .code')?.textContent }));
    claim(name, 'a problem appears at its line', problem.text.includes('no such <b>body</b>') && problem.line === 'b2', JSON.stringify(problem));
    listeners.at(-1).write('event: problem\ndata: []\n\n');
    await page.waitForFunction(() => !document.querySelector('.problems'), null, { timeout: 5000 });
    listeners.at(-1).write('event: reload\ndata: \n\n');
    await page.waitForFunction(() => !window.old && window.dalembert?.ready, null, { polling: 50, timeout: 10000 });
    const after = await api(() => ({ ...window.dalembert.view(), shown: window.dalembert.channels() }));
    claim(name, 'time, camera and channels stay', Math.abs(after.t - 1.5) < 1e-9 && Math.abs(after.camera.distance - before) < 1e-9 && after.shown.join() === 'bar1.y', JSON.stringify([after.t, after.camera.distance, before, after.shown]));
    for (const listener of listeners) listener.end();
    server.closeAllConnections();
    server.close();
  },

  async extreme_numbers_do_not_stop_the_page(name) {
    const blocks = new Blocks();
    const { scene, motion } = fourBar();
    const channels = [
      ['steady', 'J', (t) => 166.48 + 1e-14 * Math.sin(t)], ['slow', 'W', (t) => 166.48 + 1e-6 * Math.sin(t)], ['huge', 'N', (t) => 1e300 * t], ['holes', 'm', (t) => (t > 1 && t < 2 ? NaN : t > 3 ? Infinity : t)], ['none', 's', () => NaN],
      ['energy.balance', 'J', () => -5.4321e6], ['constraint.position', 'm or rad', (t) => (t < 1 ? 0 : 10 ** (-40 + 9 * t))], ['constraint.velocity', 'm/s or rad/s', () => 0],
    ];
    await show(name, pageOf({ format: 'dalembert', version: 1, kind: 'run', title: 'Extremes', program: '0.1.0', command: '', model: null, scene, series: [seriesOf(blocks, 'run', { ...motion, channels })] }, blocks));
    const shown = await api((names) => { window.dalembert.show(names); return window.dalembert.channels(); }, channels.map((c) => c[0]));
    claim(name, 'all of them are plotted', shown.length === channels.length, shown.join());
    const base = await api(() => document.querySelector('[aria-label="Plot: W"] .base').textContent);
    claim(name, 'a number that hardly changes stands above its plot', /^166\.4799\d+ \+ …$|^166\.48\d* \+ …$/.test(base), base);
    await page.getByRole('button', { name: /Add a phase plot/ }).click();
    await page.locator('.readout select').first().selectOption('steady');
    await page.locator('.readout select').last().selectOption('none');
    for (const box of await page.locator('.card > header input').all()) await box.click();
    await api(() => window.dalembert.setTime(1.5));
    await silent(name);
  },

  async two_hundred_bodies_are_few_calls(name) {
    await show(name, chainPage(200).html);
    const result = await api(() => {
      const from = performance.now();
      for (let i = 0; i < 20; i++) window.dalembert.setTime(0.02 + 0.1 * i);
      return { ms: (performance.now() - from) / 20, ...window.dalembert.view() };
    });
    claim(name, 'a dozen calls of the graphics library', result.calls <= 15, result.calls);
    console.log(`        ${result.calls} calls, ${result.triangles} triangles, ${result.ms.toFixed(2)} ms of script a frame`);
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
rmSync(folder, { recursive: true });
console.log(failures.length ? `${failures.length} claims do not hold` : `all ${Object.keys(tests).length} tests passed`);
process.exit(failures.length ? 1 : 0);
