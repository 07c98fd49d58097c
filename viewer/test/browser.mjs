/* A browser, and what tests ask of a page in it. */

import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const failures = [];

/* A claim: what is said of what, and whether it holds. */
export function claim(where, what, holds, detail = '') {
  if (holds) return true;
  failures.push(`${where}: ${what}${detail === '' ? '' : ` (${detail})`}`);
  console.log(`FAILED  ${failures.at(-1)}`);
  return false;
}

export async function launch() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const seen = { console: [], requests: [] };
  page.on('console', (message) => message.type() === 'error' && seen.console.push(message.text()));
  page.on('pageerror', (error) => seen.console.push(error.message));
  page.on('request', (request) => seen.requests.push(request.url()));
  return { browser, page, seen };
}

export async function open(page, seen, url) {
  seen.console.length = seen.requests.length = 0;
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.dalembert?.ready, null, { polling: 20 });
  await page.evaluate(() => window.dalembert.ready);
}

/* Header and blocks, read out of the file as any other program would. */
export function contents(html) {
  const cut = (id) => {
    const at = html.indexOf(`id="${id}">`);
    if (at < 0) throw new Error(`no element ${id}`);
    const from = at + id.length + 6;
    return html.slice(from, html.indexOf('</script>', from));
  };
  const header = JSON.parse(cut('dalembert'));
  const block = (i) => {
    const bytes = Buffer.from(cut(`block-${i}`), 'base64');
    const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { type } = header.blocks[i];
    return type === 'float64' ? new Float64Array(copy) : type === 'float32' ? new Float32Array(copy) : new Uint32Array(copy);
  };
  return { header, block };
}

export const read = (file) => contents(readFileSync(file, 'utf8'));

/* The pose that the data has between two frames: straight, and along the shorter arc. */
export function poseBetween(time, poses, bodies, index, t) {
  let k = 0;
  while (k + 1 < time.length && time[k + 1] <= t) k++;
  const n = Math.min(k + 1, time.length - 1);
  const s = time[n] > time[k] ? Math.min(1, (t - time[k]) / (time[n] - time[k])) : 0;
  const at = (f) => [...poses.subarray((f * bodies + index) * 7, (f * bodies + index) * 7 + 7)];
  const a = at(k), b = at(n);
  const dot = a.slice(3).reduce((sum, v, i) => sum + v * b[3 + i], 0);
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const [wa, wb] = angle > 1e-6 ? [Math.sin((1 - s) * angle) / Math.sin(angle), Math.sin(s * angle) / Math.sin(angle)] : [1 - s, s];
  return a.map((v, i) => (i < 3 ? (1 - s) * v + s * b[i] : wa * v + (dot < 0 ? -wb : wb) * b[i]));
}

/* ---- functions that run in the page ---- */

/* The share of the picture, without its grid, that differs from its ground at the first of some instants, and how much differs at the others. */
export function picture(instants) {
  window.dalembert.pause();
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'g' }));
  const source = document.querySelector('canvas.scene');
  const width = 240, height = Math.round((240 * source.height) / source.width);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const [a, ...others] = instants.map((t) => {
    window.dalembert.setTime(t);
    context.drawImage(source, 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  });
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'g' }));
  const far = (p, i, q, k) => Math.abs(p[i] - q[k]) + Math.abs(p[i + 1] - q[k + 1]) + Math.abs(p[i + 2] - q[k + 2]) > 24;
  let drawn = 0, moved = 0;
  for (let i = 0; i < a.length; i += 4) {
    if (far(a, i, a, 0)) drawn++;
    if (others.some((b) => far(a, i, b, i))) moved++;
  }
  return { drawn: drawn / (width * height), moved };
}

/* Texts whose contrast with what is behind them is below 4.5 to 1, large ones 3 to 1. */
export function faintTexts() {
  const parse = (text) => {
    const found = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return /srgb/.test(text) ? [found[0] * 255, found[1] * 255, found[2] * 255, found[3] ?? 1] : [found[0], found[1], found[2], found[3] ?? 1];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => { const v = c[i] / 255; return sum + w * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
  const behind = new Map();
  const ground = (element) => {
    if (!element) return [255, 255, 255, 1];
    if (!behind.has(element)) {
      const own = parse(getComputedStyle(element).backgroundColor);
      behind.set(element, own[3] === 1 ? own : over(own, ground(element.parentElement)));
    }
    return behind.get(element);
  };
  const faint = [];
  let count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest('script, style, noscript, option') || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest('button:disabled, input:disabled')) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(over(parse(style.color), ground(element))), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    count++;
    if (ratio < (large ? 3 : 4.5)) faint.push(`${walker.currentNode.data.trim().slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return { faint, count };
}

/* What is cut off or unreachable at this width. */
export function cramped() {
  const width = document.documentElement.clientWidth;
  const out = [];
  if (document.documentElement.scrollWidth > width + 1) out.push(`the page is ${document.documentElement.scrollWidth} wide`);
  const inView = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.left >= -1 && box.right <= width + 1 && box.top >= -1 && box.bottom <= innerHeight + 1;
  };
  for (const selector of ['.player .primary', '.player .scrub', '.clock', '#speed', '.toolbar button', '.top button', '.tabs button'])
    for (const element of document.querySelectorAll(selector)) if (element.checkVisibility() && !inView(element)) out.push(selector);
  for (const element of document.querySelectorAll('button, select, summary')) {
    if (!element.checkVisibility()) continue;
    const box = element.getBoundingClientRect();
    if (box.width < 24 || (box.height < 24 && !element.classList.contains('link'))) out.push(`small: ${element.getAttribute('aria-label') ?? element.textContent}`);
  }
  const stage = document.querySelector('.stage').getBoundingClientRect();
  if (stage.width < 300 || stage.height < 180) out.push(`the scene is ${stage.width} x ${stage.height}`);
  return out;
}

/* Controls without a name for those who listen. */
export function nameless() {
  return [...document.querySelectorAll('button, select, input, canvas, [role=tabpanel]')]
    .filter((e) => e.checkVisibility() && !e.closest('[aria-hidden=true]'))
    .filter((e) => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.title || e.textContent.trim() || e.closest('label')?.textContent.trim()))
    .map((e) => e.outerHTML.slice(0, 80));
}
