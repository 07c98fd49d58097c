/* Elements are made by functions; what comes from the data is only ever text. */

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children) if (child != null) element.append(child);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/* Icons are strokes on a field of 16 x 16. */
const strokes: Record<string, string> = {
  play: 'M4.5 2.5 13 8l-8.5 5.5z',
  pause: 'M5 3v10M11 3v10',
  back: 'M11 3.5 6.5 8l4.5 4.5M4.5 3.5v9',
  next: 'M5 3.5 9.5 8 5 12.5M11.5 3.5v9',
  start: 'M12.5 3 7.5 8l5 5M8 3 3 8l5 5',
  end: 'M3.5 3l5 5-5 5M8 3l5 5-5 5',
  loop: 'M3 8a5 5 0 0 1 8.5-3.5L13 6M13 2.5V6H9.5M13 8a5 5 0 0 1-8.5 3.5L3 10M3 13.5V10h3.5',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  cube: 'M8 2 13.5 5v6L8 14 2.5 11V5zM2.5 5 8 8l5.5-3M8 8v6',
  label: 'M2.5 4h11M8 4v9M6 13h4',
  arrow: 'M3 13 12.5 3.5M6.5 3.5h6v6',
  speed: 'M2 8h9M8 4.5 11.5 8 8 11.5M2 4.5h3M2 11.5h3',
  trace: 'M2 12c3 0 2-8 5-8s2 8 7 6',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
  help: 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M8 12.5v.5',
  film: 'M1.5 4h9v8h-9zM10.5 7l4-2.5v7l-4-2.5',
  image: 'M2 3h12v10H2zM2 11l3.5-4 3 3.5L10.5 8 14 11.5',
  table: 'M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', strokes[name]);
  if (name === 'play') path.classList.add('filled');
  svg.append(path);
  return svg;
}

/* A button with an icon, its name and its key for those who hover or listen. */
export function button(name: string, title: string, action: () => void, text?: string): HTMLButtonElement {
  const element = h('button', { type: 'button', title, 'aria-label': title, onclick: action }, icon(name), text);
  if (!text) element.classList.add('square');
  return element;
}

export function pressed(element: HTMLElement, on: boolean): void {
  element.setAttribute('aria-pressed', String(on));
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = h('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* A file name made of a title: letters and digits of any script stay. */
export function fileName(title: string, ending: string): string {
  const plain = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60);
  return `${plain || 'dalembert'}.${ending}`;
}

/* Numbers for people: six digits, and no noise behind them. */
export function number(value: number | null | undefined, digits = 6): string {
  if (value == null || Number.isNaN(value)) return '–';
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(Number(value.toPrecision(digits)));
  return value.toExponential(digits - 3).replace('e+', 'e');
}
