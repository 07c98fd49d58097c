/* The report of a run or a comparison: the scene, its clock, the plots, the evidence, and the wires between them. */

import { Vector3 } from 'three';
import { control, type Pose } from './camera';
import { Methods, agreementText, hasOtherChannels, swatchOf } from './compare';
import type { Blocks, Header, Scene, Vector, Wish } from './data';
import { button, download, fileName, h, pressed } from './dom';
import { Equations, equationsOf } from './equations';
import { ModelText, evidencePanel } from './evidence';
import { measure } from './extent';
import { type Key, Keyboard } from './keys';
import { Labels } from './labels';
import { keptView, listen } from './live';
import { Mechanism } from './mechanism';
import { ModalMotion, ModesPanel } from './modes';
import { Motion } from './motion';
import { CURVES, SERIES, pick } from './palette';
import type { Look } from './parts';
import { Clock, PlayerBar } from './player';
import { PlotPanel } from './plots';
import { Runs, SliderPanel } from './sliders';
import { Stage } from './stage';
import type { ThemeSwitch } from './theme';
import { addGears } from './gears';
import { Video, canRecord } from './video';
import { type Switch, type Switches, ViewMenu } from './viewmenu';

interface Saved { t: number; playing: boolean; speed: number; camera: Pose | null; shown: string[]; tab: string; switches: Switches; follow: number; formulation?: string }

/* Where no joint shows how bodies may move, their paths do. */
function unguided(scene: Scene): boolean {
  return scene.bodies.length <= 3 && !scene.forces.some((f) => f.ends.length === 2) && scene.joints.every((j) => j.sides.length < 2 || /^(rolling|skate)/.test(j.type));
}

export class Report {
  readonly ready: Promise<void>;
  private readonly motions: Motion[];
  private readonly clock: Clock;
  private readonly player: PlayerBar;
  private readonly plots: PlotPanel;
  private readonly methods: Methods | null;
  private readonly model: ModelText;
  private readonly equations: Equations | null;
  private readonly tabs = new Map<string, { tab: HTMLButtonElement; panel: HTMLElement }>();
  private readonly stageBox = h('div', { class: 'stage' });
  private readonly canvas = h('canvas', { class: 'scene', role: 'img', tabindex: 0 });
  private readonly note = h('div', { class: 'named', role: 'status' });
  private readonly arrowText = h('div', { class: 'arrowscale' });
  private readonly scaleBar = h('div', { class: 'scalebar', 'aria-hidden': 'true' }, h('i', {}), h('span', {}));
  private readonly toggles = new Map<string, HTMLButtonElement>();
  private readonly switches: Switches = { labels: false, joints: true, centers: true, grid: true, reactions: false, velocities: false };
  private readonly keyboard: Keyboard;
  private stage: Stage | null = null;
  private video: Video | null = null;
  private looped = true;
  private menu: ViewMenu | null = null;
  private labels: Labels | null = null;
  private selected = 0;
  private one = false;      // all methods agree: one mechanism stands for them
  private readonly seen: boolean[];
  private tellMotions: (count: number) => void = () => undefined;
  private follow = -1;
  private framed: (() => void) | null = null;      // what the camera shows by itself, until the reader moves it
  private tab = '';
  private dirty = true;
  private asked = 0;
  private last = 0;
  private drawnOnce: () => void = () => undefined;
  private readonly followed = new Vector3();
  private readonly before = new Vector3();

  constructor(private readonly header: Header, blocks: Blocks, private readonly theme: ThemeSwitch, private readonly problem: (text: string) => void) {
    this.ready = new Promise((resolve) => (this.drawnOnce = resolve));
    const bodies = header.scene?.bodies.length ?? 0;
    this.motions = header.series.map((series) => (header.modes ? new ModalMotion(series, blocks, bodies, header.modes) : new Motion(series, blocks, bodies)));
    this.seen = this.motions.map(() => true);
    const moving = this.motions.filter((m) => m.frames);
    this.selected = Math.max(0, this.motions.findIndex((m) => m.frames));
    this.clock = new Clock(Math.min(...moving.map((m) => m.start), Infinity) || 0, Math.max(...moving.map((m) => m.end), -Infinity) || 0);
    if (!moving.length) this.clock = new Clock(0, 0);
    this.player = new PlayerBar(this.clock, { toggle: () => this.toggle(), step: (n) => this.step(n), seek: (t) => this.setTime(t), changed: () => this.change() });
    const sliders = header.live && header.kind === 'run' ? header.sliders ?? [] : [], runs = sliders.length ? new Runs(header, blocks) : null;
    this.plots = new PlotPanel(header, blocks, () => this.clock.t, (t) => this.setTime(t), runs);
    const panel = runs ? new SliderPanel(sliders, runs, () => this.plots.show(this.plots.names())) : null;
    if (panel) this.plots.element.prepend(panel.element);
    this.methods = header.kind === 'compare' || header.series.length > 1
      ? new Methods(header, blocks, { select: (i) => this.select(i), display: (i, on) => this.display(i, on), seek: (t) => this.setTime(t), time: () => this.clock.t })
      : null;
    this.model = new ModelText(header);
    this.equations = equationsOf(document);
    this.keyboard = new Keyboard(this.keys());
    this.layout();
    if (header.scene?.bodies.length) this.build(blocks);
    else if (header.scene) this.stageBox.append(h('p', { class: 'empty' }, 'This model has no bodies to draw. The plots and the evidence are complete.'));
    else this.stageBox.append(h('p', { class: 'empty' }, 'There is no motion to show: see the messages.'));
    theme.changed = () => { this.stage?.tint(theme.tones(), theme.theme === 'dark'); this.plots.redraw(); this.methods?.draw(); this.change(); };
    this.open(moving.length > 0);
    if (header.live) listen(header, () => this.save(), () => runs?.keep(this.plots.names()), (messages) => panel?.refused(messages));
  }

  /* ---- the page ---- */

  private layout(): void {
    const panels: [string, string, HTMLElement][] = [];
    const modal = this.motions.find((m) => m instanceof ModalMotion);
    if (modal) panels.push(['modes', 'Modes', new ModesPanel(modal, () => this.change()).element]);
    if (this.methods) panels.push(['methods', 'Methods', this.methods.element]);
    if ((!this.methods && !modal) || hasOtherChannels(this.header)) panels.push(['plots', 'Plots', this.plots.element]);
    panels.push(['evidence', 'Evidence', evidencePanel(this.header, (line) => this.jump(line))]);
    if (this.equations) panels.push(['equations', 'Equations', this.equations.element]);
    if (this.header.model?.text) panels.push(['model', 'Model', this.model.element]);
    const bar = h('div', { class: 'tabs', role: 'tablist' });
    const side = h('div', { class: 'side' }, bar);
    for (const [key, name, panel] of panels) {
      const tab = h('button', { type: 'button', role: 'tab', id: `tab-${key}`, 'aria-controls': `panel-${key}`, onclick: () => this.openTab(key) }, name);
      const problems = this.header.messages.filter((m) => m.severity === 'error').length;
      if (key === 'evidence' && problems) tab.append(h('span', { class: 'count' }, String(problems)));
      bar.append(tab);
      panel.classList.add('panel');
      panel.id = `panel-${key}`;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', tab.id);
      panel.tabIndex = -1;
      side.append(panel);
      this.tabs.set(key, { tab, panel });
    }
    const worst = this.header.messages.find((m) => m.severity === 'error');
    const top = h('header', { class: 'top' },
      h('h1', {}, this.header.title || this.header.model?.file || 'Untitled'),
      h('span', { class: 'kind' }, this.header.kind === 'compare' ? `comparison of ${Math.max(0, this.header.series.filter((s) => s.frames).length - 1)} methods` : this.header.options.map((o) => o[1]).slice(0, 3).join(' · ')),
      worst ? h('span', { class: 'alarm' }, 'stopped with an error: see the evidence') : null,
      h('span', { class: 'grow' }),
      button('moon', 'Light or dark (d)', () => this.theme.toggle()),
      button('help', 'Keyboard (?)', () => this.keyboard.toggle()));
    this.canvas.setAttribute('aria-label', `Scene: ${this.header.title}`);
    const left = h('div', { class: 'left' }, this.stageBox, this.player.element);
    document.body.append(h('div', { class: 'page' }, top, h('main', {}, left, side)), this.keyboard.sheet);
    this.stageBox.append(this.note);
    const observer = new ResizeObserver(() => { this.change(); this.plots.resize(); this.methods?.resize(); });
    observer.observe(this.stageBox);
    observer.observe(side);
  }

  private tool(key: string, name: string, title: string, action: () => void): HTMLButtonElement {
    const made = button(name, title, action);
    this.toggles.set(key, made);
    return made;
  }

  private build(blocks: Blocks): void {
    const scene = this.header.scene!;
    const moving = this.motions.filter((m) => m.frames);
    addGears(scene, moving[0]);
    const extent = measure(scene, moving, blocks);
    try {
      this.stage = new Stage(this.canvas, scene, extent, this.theme.tones());
    } catch (error) {
      this.stageBox.append(h('p', { class: 'empty' }, 'This browser draws no 3D pictures (WebGL is off or missing). The plots and the evidence are complete.'));
      this.problem(String(error));
      return;
    }
    const several = this.header.series.length > 1;
    this.motions.forEach((motion, i) => { if (motion.frames) this.stage!.add(new Mechanism(scene, motion, blocks, extent, several ? pick(SERIES, i) : null, this.stage!.mechanisms.length)); });
    const first = this.stage.mechanisms[0];
    if (!first) return;
    this.stage.tint(this.theme.tones(), this.theme.theme === 'dark');
    this.labels = new Labels(first);
    this.menu = new ViewMenu(scene, { reactions: first.reactions !== null && first.reactions.most > 0, velocities: first.velocities !== null && first.velocities.most > 0 }, {
      set: (name, on) => this.set(name, on),
      scale: (name, factor) => { for (const m of this.stage!.mechanisms) if (m[name]) m[name]!.factor = factor; this.set(name, true); },
      follow: (body) => this.setFollow(body),
      look: (body, look) => this.look(body, look),
      focus: (body) => this.focus(body),
      trace: (body, point) => this.trace(body, point),
      clearTraces: () => { for (const m of this.stage!.mechanisms) m.clearTraces(); this.menu!.traces([]); this.change(); },
      face: (a, e) => { this.stage!.view.face(a, e); if (scene.space === 'planar') this.stage!.view.flat = a === 0 && e === 0; this.fit(); },
    });
    this.menu.traces([]);
    const tools = h('div', { class: 'toolbar', role: 'group', 'aria-label': 'View' },
      this.tool('fit', 'fit', 'Fit (f)', () => this.fit()),
      this.tool('flat', 'cube', '2D/3D (p)', () => this.flat()),
      this.tool('labels', 'label', 'Names (l)', () => this.flip('labels')),
      first.reactions && first.reactions.most > 0 ? this.tool('reactions', 'arrow', 'Reaction forces (r)', () => this.flip('reactions')) : null,
      first.velocities && first.velocities.most > 0 ? this.tool('velocities', 'speed', 'Velocities (v)', () => this.flip('velocities')) : null,
      button('image', 'Download the picture as PNG', () => this.picture()),
      canRecord() && moving.length ? this.tool('video', 'film', 'Record a video (WebM): the motion once, from its start', () => this.film()) : null,
      this.menu.element);
    this.stageBox.append(this.canvas, this.labels.element, tools, this.scaleBar, this.arrowText);
    if (several) {
      const legend = this.legend(), sentence = agreementText(this.header);
      this.stageBox.append(legend);
      if (sentence) this.stageBox.after(this.agreement(sentence, legend));
    }
    control(this.canvas, this.stage.view, () => { this.framed = null; this.showTools(); this.change(); }, (x, y) => this.named(x, y));
    this.canvas.addEventListener('dblclick', () => this.fit());
    this.canvas.addEventListener('webglcontextrestored', () => this.change());
    this.stage.afterDraw = () => this.overlay();
    if (extent.roams) this.setFollow(0);
    else if (!several && unguided(scene)) scene.bodies.slice(0, 3).forEach((_, i) => this.trace(i, -1));
    this.size();
    this.fit();
    if (scene.view) this.grant(scene.view);
  }

  /* What the model asks to be shown first. */
  private grant(view: Wish): void {
    const stage = this.stage!;
    for (const [body, point] of view.traces) this.trace(body, point);
    for (const m of stage.mechanisms) m.grant(view);
    stage.mechanisms[0].parts.looks.forEach((look, body) => this.menu?.look(body, look));
    if (view.camera) stage.view.from(view.camera);
    const frame = () => {
      this.aim();
      if (view.focus !== undefined) this.focus(view.focus);
      if (view.zoom) stage.view.distance /= view.zoom;
    };
    frame();
    this.framed = frame;
    this.showTools();
  }

  /* Open while it leaves most of the scene to be seen. */
  private legend(): HTMLElement {
    const moving = this.header.series.flatMap((series, i) => (series.frames ? [{ name: series.name, i }] : []));
    const legend = h('details', { class: 'legend' }, h('summary', {}, `${moving.length} motions`), h('div', { tabindex: 0, role: 'region', 'aria-label': 'Colours of the methods' },
      ...moving.map(({ name, i }) => h('span', {}, swatchOf(i), name))));
    legend.open = moving.length <= (window.innerWidth > 820 ? 12 : 4);
    return legend;
  }

  /* Where all methods agree: the sentence that says so below the scene, and a button that shows all motions. */
  private agreement(sentence: string, legend: HTMLElement): HTMLElement {
    const said = h('p', { role: 'status' });
    const all = h('button', { type: 'button', class: 'word', onclick: () => show(!this.one) });
    const show = (one: boolean) => {
      this.one = one;
      legend.hidden = one;
      all.textContent = one ? 'Show all motions' : 'Show one mechanism';
      this.showMotions();
    };
    this.tellMotions = (count) => {
      const text = this.one ? sentence : `${count} motion${count === 1 ? ' is' : 's are'} shown, one upon the other.`;
      if (said.textContent !== text) said.textContent = text;
    };
    show(true);
    return h('div', { class: 'agreed' }, said, all);
  }

  /* One mechanism, or all that are ticked. */
  private showMotions(): void {
    const mechanisms = this.stage?.mechanisms ?? [];
    mechanisms.forEach((m, k) => { m.group.visible = this.one ? k === 0 : this.seen[this.motions.indexOf(m.motion)]; });
    this.tellMotions(mechanisms.filter((m) => m.group.visible).length);
    this.change();
  }

  /* ---- what the reader does ---- */

  private keys(): Key[] {
    const key = (keys: string[], label: string, does: string, action: (event: KeyboardEvent) => void): Key => ({ keys, label, does, action });
    return [
      key([' '], 'space', 'play, pause', () => this.toggle()),
      key(['ArrowLeft'], '←', 'previous frame; with shift ten back', (e) => this.step(e.shiftKey ? -10 : -1)),
      key(['ArrowRight'], '→', 'next frame; with shift ten on', (e) => this.step(e.shiftKey ? 10 : 1)),
      key(['Home'], 'Home', 'to the start', () => this.setTime(this.clock.start)),
      key(['End'], 'End', 'to the end', () => this.setTime(this.clock.end)),
      key(['['], '[', 'slower', () => { this.clock.faster(-1); this.change(); }),
      key([']'], ']', 'faster', () => { this.clock.faster(1); this.change(); }),
      key(['o'], 'o', 'loop', () => { this.clock.loop = !this.clock.loop; this.change(); }),
      key(['+', '='], '+', 'zoom in', () => this.zoom(0.8)),
      key(['-'], '-', 'zoom out', () => this.zoom(1.25)),
      key(['f'], 'f', 'fit the whole motion', () => this.fit()),
      key(['p'], 'p', '2D/3D', () => this.flat()),
      key(['l'], 'l', 'names', () => this.flip('labels')),
      key(['j'], 'j', 'joints', () => this.flip('joints')),
      key(['m'], 'm', 'centres of mass', () => this.flip('centers')),
      key(['g'], 'g', 'grid', () => this.flip('grid')),
      key(['r'], 'r', 'reaction forces', () => this.flip('reactions')),
      key(['v'], 'v', 'velocities', () => this.flip('velocities')),
      key(['c'], 'c', 'follow the next body', () => this.setFollow(this.follow + 1 >= (this.header.scene?.bodies.length ?? 0) ? -1 : this.follow + 1)),
      key(['t'], 't', 'trace the followed body, or the last', () => this.trace(this.follow >= 0 ? this.follow : (this.header.scene?.bodies.length ?? 0) - 1, -1)),
      key(['1', '2', '3', '4', '5'], '1 2 3 4 5', 'plots, evidence and so on', (e) => { const name = [...this.tabs.keys()][Number(e.key) - 1]; if (name) this.openTab(name); }),
      key(['d'], 'd', 'light or dark', () => this.theme.toggle()),
      key(['?'], '?', 'list of keys', () => this.keyboard.toggle()),
    ];
  }

  toggle(): void {
    if (this.clock.playing) this.pause();
    else this.play();
  }

  play(): void {
    this.clock.play();
    this.last = 0;
    this.change();
  }

  pause(): void {
    this.clock.playing = false;
    this.change();
  }

  setTime(t: number): void {
    this.clock.set(t);
    this.change();
  }

  private get motion(): Motion {
    return this.motions[this.selected];
  }

  frame(): number {
    return this.motion?.frames ? this.motion.frameAt(this.clock.t) : 0;
  }

  step(count: number): void {
    this.clock.playing = false;
    const motion = this.motion;
    if (!motion?.frames) return;
    const next = Math.min(motion.frames - 1, Math.max(0, this.frame() + count));
    this.setTime(motion.time[next]);
  }

  /* The whole motion, or what is followed; again when the scene changes its size. */
  private fit(): void {
    this.aim();
    this.framed = () => this.aim();
    this.change();
  }

  private aim(): void {
    if (!this.stage) return;
    this.stage.fit();
    if (this.follow >= 0) this.stage.view.target.copy(this.before);
  }

  private flat(): void {
    this.stage?.view.toggleFlat();
    this.showTools();
    this.change();
  }

  private zoom(factor: number): void {
    this.framed = null;
    this.stage?.view.zoom(factor, 0, 0);
    this.change();
  }

  private flip(name: Switch): void {
    this.set(name, !this.switches[name]);
  }

  private set(name: Switch, on: boolean): void {
    this.switches[name] = on;
    this.applySwitches();
    this.change();
  }

  private applySwitches(): void {
    if (!this.stage) return;
    const { switches, stage } = this;
    stage.grid.visible = switches.grid && !stage.floats;
    stage.mechanisms.forEach((m) => {
      m.parts.groups.joints.visible = switches.joints;
      m.parts.groups.centers.visible = switches.centers;
      const chosen = m.motion === this.motion;
      if (m.reactions) m.reactions.group.visible = switches.reactions && chosen;
      if (m.velocities) m.velocities.group.visible = switches.velocities && chosen;
    });
    if (this.labels) this.labels.visible = switches.labels;
    this.menu?.show(switches);
    this.showTools();
  }

  private showTools(): void {
    for (const [key, made] of this.toggles) {
      if (key in this.switches) pressed(made, this.switches[key as Switch]);
      if (key === 'video') pressed(made, this.video?.active ?? false);
      if (key === 'flat') pressed(made, !this.stage?.view.flat);
    }
  }

  private setFollow(body: number): void {
    this.follow = body;
    const mechanism = this.mechanism();
    if (body >= 0 && mechanism) {
      mechanism.update(this.clock.t);
      mechanism.locate(body, this.header.scene!.bodies[body].center, this.before);
      if (this.stage) this.stage.view.target.copy(this.before);
    }
    if (this.menu) this.menu.follow.value = String(body);
    this.change();
  }

  private look(body: number, look: Look): void {
    for (const m of this.stage?.mechanisms ?? []) m.parts.look(body, look);
    this.menu?.look(body, look);
    this.change();
  }

  /* The camera goes near a body, and follows it. */
  private focus(body: number): void {
    if (!this.stage) return;
    const { unit, reach } = this.stage.extent, { view } = this.stage;
    this.framed = null;
    this.setFollow(body);
    view.distance = (1.5 * Math.max(4 * unit, reach[body] + unit)) / Math.tan((32 * Math.PI) / 360) / Math.min(1, view.aspect);
    this.change();
  }

  private trace(body: number, point: number): void {
    const scene = this.header.scene;
    if (!scene || !this.stage || body < 0 || !scene.bodies[body]) return;
    const at: Vector = point >= 0 ? scene.bodies[body].points[point].at : scene.bodies[body].center;
    const label = point >= 0 ? `${scene.bodies[body].name}.${scene.bodies[body].points[point].name}` : scene.bodies[body].name;
    const several = this.header.series.length > 1;
    for (const m of this.stage.mechanisms)
      m.trace(body, at, label, several ? pick(SERIES, this.motions.indexOf(m.motion)) : pick(CURVES, m.traces.length + 1));
    this.menu?.traces(this.stage.mechanisms[0].traces);
    this.change();
  }

  private mechanism(): Mechanism | undefined {
    return this.stage?.mechanisms.find((m) => m.motion === this.motion) ?? this.stage?.mechanisms[0];
  }

  select(which: number | string): void {
    const index = typeof which === 'number' ? which : this.header.series.findIndex((s) => s.name === which);
    if (index < 0 || !this.motions[index]?.frames) return;
    this.selected = index;
    this.methods?.mark(index);
    this.plots.select(index);
    this.applySwitches();
    this.change();
  }

  private display(index: number, on: boolean): void {
    this.seen[index] = on;
    this.showMotions();
    this.plots.display(index, on);
  }

  private openTab(key: string): void {
    this.tab = key;
    for (const [name, { tab, panel }] of this.tabs) {
      tab.setAttribute('aria-selected', String(name === key));
      panel.hidden = name !== key;
    }
    this.plots.resize();
    if (key === 'plots') this.plots.update();
    if (key === 'methods') this.methods?.draw();
  }

  private jump(line: number): void {
    if (!this.tabs.has('model')) return;
    this.openTab('model');
    this.model.jump(line);
  }

  /* A click on a body says what it is. */
  private named(x: number, y: number): void {
    const box = this.canvas.getBoundingClientRect();
    const hit = this.stage?.pick(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    if (!hit || hit.body < 0) {
      this.note.textContent = hit ? 'ground' : '';
      return;
    }
    const { body } = hit, name = this.header.scene!.bodies[body].name;
    const action = (word: string, title: string, does: () => void) => h('button', { type: 'button', class: 'word', title, onclick: does }, word);
    this.note.replaceChildren(h('span', {}, name),
      action('Focus', `Bring ${name} near`, () => this.focus(body)),
      action('Transparent', `See through ${name}`, () => this.look(body, this.mechanism()?.parts.looks[body] === 'transparent' ? 'shown' : 'transparent')),
      action('Hide', `Hide ${name}; the View menu shows it again`, () => { this.look(body, 'hidden'); this.note.textContent = ''; }));
  }

  /* The picture is taken in the same breath as it is drawn: afterwards the browser owns it. */
  private picture(): void {
    this.draw(performance.now());
    this.canvas.toBlob((blob) => blob && download(fileName(this.header.title, 'png'), blob));
  }

  /* The motion is played once from its start and recorded; a second press ends it. */
  private film(): void {
    this.video ??= new Video(this.canvas, (blob) => download(fileName(this.header.title, 'webm'), blob), (text) => this.problem(text));
    if (this.video.active) {
      this.pause();
      this.endFilm();
      return;
    }
    this.looped = this.clock.loop;
    this.clock.loop = false;
    this.setTime(this.clock.start);
    this.draw(performance.now());
    this.video.start();
    this.play();
    this.showTools();
  }

  private endFilm(): void {
    if (!this.video?.active) return;
    this.video.stop();
    this.clock.loop = this.looped;
    this.showTools();
    this.change();
  }

  /* ---- time and drawing ---- */

  change(): void {
    this.dirty = true;
    if (!this.asked) this.asked = requestAnimationFrame((now) => this.tick(now));
  }

  private size(): boolean {
    const news = this.stage?.resize(this.stageBox.clientWidth, this.stageBox.clientHeight) ?? false;
    if (news) this.framed?.();
    return news;
  }

  private tick(now: number): void {
    this.asked = 0;
    if (this.clock.playing) {
      if (this.last) this.clock.advance(Math.min(0.25, (now - this.last) / 1000));
      this.last = now;
    } else {
      this.last = 0;
    }
    if (this.dirty || this.clock.playing) this.draw(now);
    if (!this.clock.playing) this.stage?.rest();
    if (!this.clock.playing) this.endFilm();
    if (this.clock.playing) this.asked = requestAnimationFrame((later) => this.tick(later));
  }

  private draw(now: number): void {
    this.dirty = false;
    this.size();
    if (this.stage) {
      for (const mechanism of this.stage.mechanisms) if (mechanism.group.visible || mechanism.motion === this.motion) mechanism.update(this.clock.t);
      this.goAlong();
      this.stage.draw(now);
    }
    this.player.update();
    if (this.tab === 'plots') this.plots.update();
    if (this.tab === 'methods') this.methods?.update();
    this.drawnOnce();
  }

  private goAlong(): void {
    const mechanism = this.mechanism();
    if (this.follow < 0 || !mechanism) return;
    mechanism.locate(this.follow, this.header.scene!.bodies[this.follow].center, this.followed);
    this.stage!.view.target.add(this.followed).sub(this.before);
    this.before.copy(this.followed);
    if (this.stage!.extent.roams) this.stage!.shiftGrid();
  }

  /* Names, and in the flat view a scale. */
  private overlay(): void {
    const mechanism = this.mechanism();
    if (mechanism) this.labels?.update(this.stage!, mechanism);
    const { view } = this.stage!;
    this.arrowScale(mechanism);
    this.scaleBar.hidden = !view.flat;
    if (!view.flat) return;
    const pixel = (2 * view.distance * Math.tan((32 * Math.PI) / 360)) / Math.max(1, this.stageBox.clientHeight);
    const power = 10 ** Math.floor(Math.log10(110 * pixel));
    const length = [5, 2, 1].map((k) => k * power).find((l) => l <= 110 * pixel) ?? power;
    (this.scaleBar.firstChild as HTMLElement).style.width = `${(length / pixel).toFixed(1)}px`;
    this.scaleBar.lastChild!.textContent = length >= 1000 ? `${length / 1000} km` : length >= 1 ? `${Number(length.toPrecision(3))} m` : `${Number((length * 1000).toPrecision(3))} mm`;
  }

  /* What a metre of the drawing means as an arrow. */
  private arrowScale(mechanism: Mechanism | undefined): void {
    const line = (name: 'reactions' | 'velocities', word: string, unit: string) => {
      const arrows = mechanism?.[name];
      return this.switches[name] && arrows && arrows.most > 0 ? `${word}: 1 m is ${Number((1 / arrows.scale).toPrecision(3))} ${unit}, longest ${Number(arrows.most.toPrecision(3))} ${unit}` : '';
    };
    const text = [line('reactions', 'forces', 'N'), line('velocities', 'velocities', 'm/s')].filter(Boolean).join('\n');
    if (this.arrowText.textContent !== text) this.arrowText.textContent = text;
  }

  /* ---- beginning, and beginning again ---- */

  private open(moves: boolean): void {
    const saved = this.header.live ? keptView<Saved>() : null;
    if (saved) this.restore(saved);
    this.applySwitches();
    this.openTab(saved && this.tabs.has(saved.tab) ? saved.tab : moves ? [...this.tabs.keys()][0] : 'evidence');
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (moves && (saved ? saved.playing : !still)) this.play();
    this.change();
  }

  save(): Saved {
    return {
      t: this.clock.t, playing: this.clock.playing, speed: this.clock.speed, camera: this.stage?.view.get() ?? null, shown: this.plots.names(), tab: this.tab,
      switches: this.switches, follow: this.follow, formulation: this.equations?.shown,
    };
  }

  private restore(saved: Saved): void {
    this.clock.set(saved.t);
    this.clock.speed = saved.speed || this.clock.speed;
    Object.assign(this.switches, saved.switches);
    if (saved.follow < (this.header.scene?.bodies.length ?? 0)) this.setFollow(saved.follow);
    if (saved.camera && this.stage) { this.framed = null; this.stage.view.set(saved.camera); }
    if (saved.shown.length) this.plots.show(saved.shown);
    if (saved.formulation) this.equations?.show(saved.formulation);
  }

  /* ---- what FORMAT.md promises ---- */

  api(): Record<string, unknown> {
    return {
      time: () => this.clock.t,
      setTime: (t: number) => { this.clock.set(t); this.dirty = false; this.draw(performance.now()); this.stage?.rest(); },
      play: () => this.play(),
      pause: () => this.pause(),
      playing: () => this.clock.playing,
      frame: () => this.frame(),
      pose: (name: string) => this.pose(name),
      channels: () => this.plots.names(),
      runs: () => this.plots.pastCurves(),
      show: (names: string[]) => this.plots.show(names),
      select: (name: string) => this.select(name),
      frameTimes: () => this.stage?.frameTimes.slice() ?? [],
      view: () => ({ ...this.save(), tabs: [...this.tabs.keys()], loop: this.clock.loop, help: this.keyboard.sheet.open, theme: this.theme.theme, traces: this.stage?.mechanisms[0]?.traces.length ?? 0, looks: [...(this.stage?.mechanisms[0]?.parts.looks ?? [])],
        selected: this.header.series[this.selected]?.name, mechanisms: this.stage?.mechanisms.filter((m) => m.group.visible).length ?? 0, triangles: this.stage?.renderer.info.render.triangles ?? 0, calls: this.stage?.renderer.info.render.calls ?? 0 }),
    };
  }

  private pose(name: string): { position: number[]; quaternion: number[] } | null {
    const index = this.header.scene?.bodies.findIndex((body) => body.name === name) ?? -1;
    const mechanism = this.mechanism();
    if (index < 0 || !mechanism) return null;
    const pose = mechanism.pose;
    return { position: [...pose.subarray(7 * index, 7 * index + 3)], quaternion: [...pose.subarray(7 * index + 3, 7 * index + 7)] };
  }
}
