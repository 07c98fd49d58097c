/* Tables of what was done and found, and the text of the model beside its messages. */

import { copy } from './copy';
import type { Fact, Header, Message } from './data';
import { button, h } from './dom';
import { pieces } from './yaml';

function table(caption: string, rows: [string, string | Node][]): HTMLElement | null {
  if (!rows.length) return null;
  return h('section', { class: 'card' }, h('header', {}, h('h3', {}, caption)),
    h('div', { class: 'wide' }, h('table', { class: 'facts' }, h('tbody', {}, ...rows.map(([label, value]) => h('tr', {}, h('th', { scope: 'row' }, label), h('td', {}, value)))))));
}

export const factText = (fact: Fact) => (fact.unit && fact.unit !== '1' ? `${fact.value} ${fact.unit}` : fact.value);

export function messageList(messages: Message[], jump: (line: number) => void): HTMLElement {
  return h('ul', { class: 'messages' }, ...messages.map((message) => {
    const place = message.line ? `line ${message.line}${message.column ? `, column ${message.column}` : ''}` : '';
    return h('li', { class: message.severity, ...(message.code ? { title: message.code } : {}) },
      h('strong', {}, message.severity),
      place ? h('button', { type: 'button', class: 'link', onclick: () => jump(message.line!) }, place) : null,
      h('span', {}, message.text));
  }));
}

/* A command whose lines break between words only. */
export const words = (command: string) => h('code', {}, ...command.split(' ').flatMap((word, i) => [i ? ' ' : '', h('span', {}, word)]));

function repeat(header: Header): HTMLElement {
  const told = h('span', { class: 'told', role: 'status' });
  const rows: [string, string | Node][] = [];
  if (header.model) rows.push(['model', header.model.file], ['hash', header.model.hash]);
  rows.push(['program', `dalembert ${header.program}`]);
  const box = table(header.command.startsWith('dalembert view ') ? 'To make this page again' : 'To repeat this run', rows)!;
  if (header.command)
    box.append(h('div', { class: 'command' }, words(header.command), button('copy', 'Copy the command', () => void copy(header.command, told), 'Copy'), told));
  return box;
}

function frames(header: Header): [string, string][] {
  return header.series.filter((s) => s.recorded > s.frames).map((s) => [header.series.length > 1 ? `shown of ${s.name}` : 'shown', `${s.frames} frames of ${s.recorded} recorded rows; plots have the extremes of each frame as a band`]);
}

export function evidencePanel(header: Header, jump: (line: number) => void): HTMLElement {
  const panel = h('div', { class: 'evidence' });
  const add = (child: HTMLElement | null) => child && panel.append(child);
  const messages = (caption: string, list: Message[]) =>
    list.length ? h('section', { class: 'card' }, h('header', {}, h('h3', {}, caption)), messageList(list, jump)) : null;
  add(messages('Messages', header.messages));
  add(table('Evidence', [...header.evidence.map((fact) => [fact.label, factText(fact)] as [string, string]), ...frames(header)]));
  add(messages('Verdict of check', header.verdict));
  add(table('Options', header.options));
  add(repeat(header));
  return panel;
}

export class ModelText {
  readonly element = h('div', { class: 'model' });
  private lines: HTMLElement[] = [];
  private marked: HTMLElement | null = null;

  constructor(header: Header) {
    const told = h('span', { class: 'told', role: 'status' });
    const name = header.model?.file ?? '';
    const text = header.model?.text ?? '';
    this.element.append(h('header', {}, h('h3', {}, name || 'Model'), told, text ? button('copy', 'Copy the text', () => void copy(text, told), 'Copy') : null));
    this.element.append(this.body(text, [...header.verdict, ...header.messages]));
  }

  body(text: string, messages: Message[]): HTMLElement {
    const severity = new Map(messages.filter((m) => m.line).map((m) => [m.line!, m]));
    this.lines = text.replace(/\n$/, '').split('\n').map((line, i) => {
      const message = severity.get(i + 1);
      const row = h('span', { class: `line${message ? ` ${message.severity}` : ''}` }, h('i', { class: 'number' }, String(i + 1)), h('span', { class: 'code' }, ...(line ? pieces(line).map(({ kind, text }) => (kind ? h('span', { class: `y-${kind}` }, text) : text)) : [' '])));
      if (message) row.title = message.text;
      return row;
    });
    return h('pre', { class: 'text', tabindex: 0, 'aria-label': 'Text of the model' }, ...this.lines);
  }

  jump(line: number): void {
    this.marked?.classList.remove('marked');
    this.marked = this.lines[line - 1] ?? null;
    this.marked?.classList.add('marked');
    this.marked?.scrollIntoView({ block: 'center' });
  }
}
