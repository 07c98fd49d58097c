/* A page of equations alone, as `derive -o FILE.html` writes it. */

import './theme.css';
import './equations.css';
import { button, h } from './dom';
import { Equations } from './equations';
import { ThemeSwitch } from './theme';

const errors: string[] = [];
window.addEventListener('error', (event) => errors.push(event.message));
document.addEventListener('securitypolicyviolation', (event) => errors.push(`blocked: ${event.violatedDirective} ${event.blockedURI}`));

const theme = new ThemeSwitch();
const data = document.getElementById('equations');
const content = document.createDocumentFragment();
while (data?.firstChild) content.append(data.firstChild);
data?.remove();
const equations = new Equations(content);
document.body.append(h('div', { class: 'page alone' },
  h('header', { class: 'top' }, h('h1', {}, document.title), h('span', { class: 'grow' }), button('moon', 'Light or dark', () => theme.toggle())),
  h('main', {}, equations.element)));
Object.assign(window, { dalembert: { version: 1, ready: Promise.resolve(), errors, formulation: () => equations.shown, latex: () => equations.latex() } });
