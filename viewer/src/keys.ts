/* The keyboard, and the sheet that explains it. */

import { button, h } from './dom';

export interface Key { keys: string[]; label: string; does: string; action: (event: KeyboardEvent) => void }

/* Typing in a field is typing; sliders and lists keep their own arrows. */
function busy(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target;
  if (target instanceof HTMLElement && target.closest('dialog:not([open])')) return false;      // what was closed keeps the focus until the next picture
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement) return target.type === 'range' ? !target.classList.contains('scrub') : target.type !== 'checkbox' || event.key === ' ';
  if (target instanceof HTMLElement && event.key === ' ') return target.closest('button, summary, a') !== null;
  if (target instanceof HTMLElement && (event.key === 'Enter')) return true;
  return false;
}

export class Keyboard {
  readonly sheet: HTMLDialogElement;

  constructor(private readonly keys: Key[]) {
    this.sheet = h('dialog', { class: 'sheet', 'aria-label': 'Keyboard' },
      h('header', {}, h('h2', {}, 'Keyboard'), button('close', 'Close (Escape)', () => this.sheet.close())),
      h('dl', {}, ...keys.flatMap((key) => [h('dt', {}, ...key.label.split(' ').map((k) => h('kbd', {}, k))), h('dd', {}, key.does)])),
      h('p', {}, 'Mouse: drag to turn (to move in the flat view), with shift or the right button the other; wheel to zoom; click a body to name it. ' +
        'In plots: click to go to a time, drag to zoom, double-click for all.'));
    document.addEventListener('keydown', (event) => this.handle(event));
  }

  private handle(event: KeyboardEvent): void {
    if (busy(event)) return;
    const key = this.keys.find((k) => k.keys.includes(event.key));
    if (!key) return;
    event.preventDefault();
    key.action(event);
  }

  toggle(): void {
    if (this.sheet.open) this.sheet.close();
    else this.sheet.showModal();
  }
}
