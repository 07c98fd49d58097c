/* One file from many: the script and the style in the page, and the page allows these two by their hashes and nothing else.
 *   node build.mjs            dist/page.html, the report, and dist/equations.html, equations alone */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, 'dist');
const hash = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
const size = (text) => `${(Buffer.byteLength(text) / 1000).toFixed(0)} kB`;

/* `once`: what the page has to contain exactly once, for the program that fills it. */
async function make(entry, template, file, once) {
  const bundle = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true, minify: true, write: false, outdir: 'out', format: 'iife', target: ['chrome110', 'firefox115', 'safari16'],
    legalComments: 'none', charset: 'utf8', logLevel: 'warning', absWorkingDir: here, loader: { '.woff2': 'dataurl' },
  });
  const textOf = (ending) => bundle.outputFiles.find((made) => made.path.endsWith(ending)).text;

  /* Inside an element no text may end it. In strings and templates `<\/` means `</`. */
  const script = textOf('.js').replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--').trim();
  const style = textOf('.css').replaceAll('</', '<\\/').trim();

  let page = readFileSync(join(here, 'src', template), 'utf8');
  const put = (mark, text) => {
    if (page.split(mark).length !== 2) throw new Error(`the template must contain ${mark} once`);
    page = page.split(mark).join(text);
  };
  put('%SCRIPT-HASH%', hash(script));
  put('%STYLE-HASH%', hash(style));
  put('%STYLE%', style);
  put('%SCRIPT%', script);
  for (const mark of once)
    if (page.split(mark).length !== 2) throw new Error(`the page must contain ${mark} exactly once`);
  writeFileSync(join(output, file), page);
  console.log(`${file}: ${size(page)} (script ${size(script)}, style ${size(style)})`);
}

mkdirSync(output, { recursive: true });
await make('main.ts', 'page.html', 'page.html', ['<!--DATA-->', "connect-src 'none'"]);
await make('equations_page.ts', 'equations.html', 'equations.html', ['<!--TITLE-->', '<!--DATA-->']);
