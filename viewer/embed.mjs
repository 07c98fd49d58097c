/* The page as a C file.   node embed.mjs page.html viewer.c */

import { readFileSync, writeFileSync } from 'node:fs';

const [, , page, file] = process.argv;
const bytes = readFileSync(page);
const lines = [];
for (let i = 0; i < bytes.length; i += 40) lines.push(bytes.subarray(i, i + 40).join(','));
writeFileSync(file, `/* Made from viewer/ by the build. */
#include <stddef.h>
extern const unsigned char dal_viewer[];
extern const size_t dal_viewer_size;
const unsigned char dal_viewer[] = {
${lines.join(',\n')}};
const size_t dal_viewer_size = sizeof dal_viewer;
`);
