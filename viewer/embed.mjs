/* The pages as a C file.   node embed.mjs page.html equations.html viewer.c */

import { readFileSync, writeFileSync } from 'node:fs';

const [, , page, equations, file] = process.argv;
const array = (name, path) => {
  const bytes = readFileSync(path);
  const lines = [];
  for (let i = 0; i < bytes.length; i += 40) lines.push(bytes.subarray(i, i + 40).join(','));
  return `extern const unsigned char ${name}[];
extern const size_t ${name}_size;
const unsigned char ${name}[] = {
${lines.join(',\n')}};
const size_t ${name}_size = sizeof ${name};
`;
};
writeFileSync(file, `/* Made from viewer/ by the build. */
#include <stddef.h>
${array('dal_viewer', page)}${array('dal_equations_viewer', equations)}`);
