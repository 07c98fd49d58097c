/* A block in the format of LZ4 becomes `size` bytes again. */
export function unpack(block: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0, to = 0;
  const length = (start: number) => {
    let n = start;
    if (start === 15) for (let more = 255; more === 255;) n += more = block[at++];
    return n;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = length(token >> 4);
    if (to + literals > size || at + literals > block.length) break;
    out.set(block.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at === block.length) break;
    const offset = block[at] | (block[at + 1] << 8);
    at += 2;
    const match = length(token & 15) + 4;
    if (!offset || offset > to || to + match > size) break;
    for (let i = 0; i < match; i++, to++) out[to] = out[to - offset];
  }
  if (to !== size || at !== block.length) throw new Error('the equations of this page were cut or changed');
  return out;
}
