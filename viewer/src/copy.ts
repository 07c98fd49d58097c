import { h } from './dom';

/* Into the clipboard, and a word beside the button. */
export async function copy(text: string, place: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', { class: 'offscreen' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  place.textContent = 'copied';
  setTimeout(() => (place.textContent = ''), 1500);
}
