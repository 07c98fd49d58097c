/* One file from many: the script and the style in the page, and the page allows these two by their hashes and nothing else.
 *   node build.mjs            dist/page.html */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, 'dist');

const bundle = await build({
  entryPoints: [join(here, 'src/main.ts')],
  bundle: true, minify: true, write: false, outdir: 'out', format: 'iife', target: ['chrome110', 'firefox115', 'safari16'],
  legalComments: 'none', charset: 'utf8', logLevel: 'warning', absWorkingDir: here,
});
const textOf = (ending) => bundle.outputFiles.find((file) => file.path.endsWith(ending)).text;

/* Inside an element no text may end it. In strings and templates `<\/` means `</`. */
const script = textOf('.js').replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--').trim();
const style = textOf('.css').replaceAll('</', '<\\/').trim();
const hash = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;

let page = readFileSync(join(here, 'src/page.html'), 'utf8');
const put = (mark, text) => {
  if (page.split(mark).length !== 2) throw new Error(`the template must contain ${mark} once`);
  page = page.split(mark).join(text);
};
put('%SCRIPT-HASH%', hash(script));
put('%STYLE-HASH%', hash(style));
put('%STYLE%', style);
put('%SCRIPT%', script);
for (const mark of ['<!--DATA-->', "connect-src 'none'"])
  if (page.split(mark).length !== 2) throw new Error(`the page must contain ${mark} exactly once`);

mkdirSync(output, { recursive: true });
writeFileSync(join(output, 'page.html'), page);
console.log(`page.html: ${(Buffer.byteLength(page) / 1000).toFixed(0)} kB (script ${(Buffer.byteLength(script) / 1000).toFixed(0)} kB, style ${(Buffer.byteLength(style) / 1000).toFixed(0)} kB)`);
