/* A line of YAML in pieces, with a class each: for colours. A quote that begins on a line and ends on another is not followed. */

export interface Piece { kind: '' | 'comment' | 'key' | 'string' | 'number'; text: string }

const NEXT = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([A-Za-z_][\w.\-]*(?=\s*:(?:\s|$)))|([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|([A-Za-z_][\w.\-']*)/g;

export function pieces(line: string): Piece[] {
  const found: Piece[] = [];
  let done = 0;
  for (const match of line.matchAll(NEXT)) {
    const [text, comment, string, key, number] = match;
    const kind = comment !== undefined ? 'comment' : string !== undefined ? 'string' : key !== undefined ? 'key' : number !== undefined ? 'number' : '';
    if (kind === 'comment' && match.index > 0 && !/\s/.test(line[match.index - 1])) continue;      // a # inside a word
    if (match.index < done) continue;
    if (match.index > done) found.push({ kind: '', text: line.slice(done, match.index) });
    found.push({ kind, text });
    done = match.index + text.length;
  }
  if (done < line.length) found.push({ kind: '', text: line.slice(done) });
  return found;
}
