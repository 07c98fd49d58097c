/* A page that `watch` serves: it loads itself again when the model has run anew, and shows what is wrong with it until then. */

import type { Header, Message } from './data';
import { h } from './dom';
import { ModelText, messageList } from './evidence';
import { recall, remember } from './theme';

const KEY = 'dalembert view';
const session = () => sessionStorage;

export function keepView(view: unknown): void {
  remember(KEY, JSON.stringify(view), session);
}

/* Once: a page that is opened later starts afresh. */
export function keptView<T>(): T | null {
  const text = recall(KEY, session);
  remember(KEY, null, session);
  try {
    return text ? (JSON.parse(text) as T) : null;
  } catch {
    return null;
  }
}

export function problemOverlay(header: Header, messages: Message[], text: string | undefined): HTMLElement {
  const model = new ModelText({ ...header, model: { file: header.model?.file ?? '', hash: '', text: text ?? header.model?.text ?? '' }, verdict: [], messages });
  const overlay = h('div', { class: 'problems', role: 'alertdialog', 'aria-label': 'Problems of the model' },
    h('header', {}, h('h2', {}, 'The model does not run'), h('button', { type: 'button', onclick: () => overlay.remove() }, 'Hide')),
    messageList(messages, (line) => model.jump(line)), model.element);
  const first = messages.find((m) => m.line);
  if (first) queueMicrotask(() => model.jump(first.line!));
  return overlay;
}

/* `leave` is called before the page loads itself again, `refused` with what is wrong with values of sliders. */
export function listen(header: Header, save: () => unknown, leave: () => void, refused: (messages: Message[]) => void): void {
  const source = new EventSource('events');
  let shown: HTMLElement | null = null;
  source.addEventListener('reload', () => {
    leave();
    keepView(save());
    location.reload();
  });
  source.addEventListener('refused', (event) => {
    try {
      refused((JSON.parse((event as MessageEvent).data as string) as { messages?: Message[] }).messages ?? []);
    } catch {
      refused([]);
    }
  });
  const problem = (event: Event) => {
    const data = (event as MessageEvent).data;
    if (typeof data !== 'string') return;      // the connection's own error, not the model's
    let news: { messages: Message[]; text?: string } | Message[];
    try {
      news = JSON.parse(data);
    } catch {
      news = [{ severity: 'error', text: data }];
    }
    const messages = Array.isArray(news) ? news : news.messages;
    shown?.remove();
    shown = null;
    if (!messages?.length) return;
    shown = problemOverlay(header, messages, Array.isArray(news) ? undefined : news.text);
    document.body.append(shown);
  };
  source.addEventListener('problem', problem);
  source.addEventListener('error', problem);
}
