/* The page opens here. */

import './theme.css';
import './equations.css';
import { Blocks, readHeader } from './data';
import { h } from './dom';
import { Gallery } from './gallery';
import { Report } from './report';
import { Study } from './study';
import { ThemeSwitch } from './theme';

const errors: string[] = [];

function problem(text: string): void {
  errors.push(text);
}

window.addEventListener('error', (event) => problem(event.message));
window.addEventListener('unhandledrejection', (event) => problem(String(event.reason)));
document.addEventListener('securitypolicyviolation', (event) => problem(`blocked: ${event.violatedDirective} ${event.blockedURI}`));

function open(): void {
  const theme = new ThemeSwitch();
  try {
    const header = readHeader();
    document.title = `${header.title || header.model?.file || 'Untitled'} – dalembert`;
    const blocks = new Blocks(header);
    const page = header.kind === 'gallery' ? new Gallery(header, blocks, theme, problem)
      : header.kind === 'study' ? new Study(header, blocks, theme, problem) : new Report(header, blocks, theme, problem);
    Object.assign(window, { dalembert: { version: 1, header, ready: page.ready, errors, ...page.api() } });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    problem(text);
    document.body.append(h('p', { class: 'broken', role: 'alert' }, `This page cannot be shown: ${text}`));
    Object.assign(window, { dalembert: { version: 1, ready: Promise.resolve(), errors } });
    throw error;
  }
}

open();
