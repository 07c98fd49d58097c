/* The clock of the page, and the bar that drives it. */

import { button, h, icon, number, pressed } from './dom';

const SPEEDS = [1e-6, 1e-5, 1e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1e3, 1e4, 1e5, 1e6];

/* The whole run in two to thirty seconds: real time where that is so. */
function usualSpeed(duration: number): number {
  if (duration >= 1.5 && duration <= 40) return 1;
  const wanted = duration / 8;
  return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
}

export class Clock {
  t: number;
  speed: number;
  loop = true;
  playing = false;

  constructor(readonly start: number, readonly end: number) {
    this.t = start;
    this.speed = usualSpeed(end - start || 1);
  }

  get duration(): number {
    return this.end - this.start;
  }

  set(t: number): void {
    if (Number.isFinite(t)) this.t = Math.min(this.end, Math.max(this.start, t));
  }

  play(): void {
    if (this.duration <= 0) return;
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
  }

  advance(seconds: number): void {
    let t = this.t + seconds * this.speed;
    if (t > this.end && this.loop && this.duration > 0) t = this.start + ((t - this.start) % this.duration);
    if (t >= this.end && !this.loop) this.playing = false;
    this.set(t);
  }

  faster(steps: number): void {
    const nearest = SPEEDS.reduce((best, s, i) => (Math.abs(Math.log(s / this.speed)) < Math.abs(Math.log(SPEEDS[best] / this.speed)) ? i : best), 0);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, nearest + steps))];
  }
}

export interface Actions { toggle(): void; step(frames: number): void; seek(t: number): void; changed(): void }

export class PlayerBar {
  readonly element: HTMLElement;
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clockText = h('output', { class: 'clock', 'aria-label': 'Time' });
  private readonly speeds: HTMLSelectElement;
  private shownPlaying: boolean | null = null;

  constructor(private readonly clock: Clock, actions: Actions) {
    this.playButton = button('play', 'Play (space)', actions.toggle);
    this.playButton.classList.add('primary');
    this.loopButton = button('loop', 'Loop (o)', () => { clock.loop = !clock.loop; actions.changed(); });
    this.slider = h('input', { type: 'range', min: 0, max: 10000, step: 'any', value: 0, class: 'scrub', 'aria-label': 'Time' });
    this.slider.addEventListener('input', () => actions.seek(clock.start + (Number(this.slider.value) / 10000) * clock.duration));
    this.speeds = h('select', { id: 'speed', 'aria-label': 'Speed', title: 'Speed ([ and ])' });
    for (const s of SPEEDS) this.speeds.append(h('option', { value: s }, `× ${number(s)}`));
    this.speeds.addEventListener('change', () => { clock.speed = Number(this.speeds.value); actions.changed(); });
    this.element = h('div', { class: 'player', role: 'group', 'aria-label': 'Playback' },
      h('div', { class: 'buttons' },
        button('start', 'To the start (Home)', () => actions.seek(clock.start)),
        button('back', 'Previous frame (left)', () => actions.step(-1)),
        this.playButton,
        button('next', 'Next frame (right)', () => actions.step(1)),
        button('end', 'To the end (End)', () => actions.seek(clock.end))),
      this.slider,
      h('div', { class: 'rate' }, this.clockText, this.speeds, this.loopButton));
  }

  update(): void {
    const { clock } = this;
    this.slider.value = String(clock.duration > 0 ? ((clock.t - clock.start) / clock.duration) * 10000 : 0);
    this.clockText.textContent = `${timeText(clock.t, clock.duration)} s`;
    this.slider.setAttribute('aria-valuetext', `${timeText(clock.t, clock.duration)} seconds`);
    if (this.shownPlaying !== clock.playing) {
      this.shownPlaying = clock.playing;
      this.playButton.replaceChildren(icon(clock.playing ? 'pause' : 'play'));
      const title = clock.playing ? 'Pause (space)' : 'Play (space)';
      this.playButton.title = title;
      this.playButton.setAttribute('aria-label', title);
    }
    pressed(this.loopButton, clock.loop);
    if (Number(this.speeds.value) !== clock.speed) this.speeds.value = String(clock.speed);
  }
}

/* As many decimals as a thousandth of the run needs. */
export function timeText(t: number, duration: number): string {
  const decimals = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(duration || 1))));
  return t.toFixed(Math.max(0, decimals - (duration >= 1000 ? 1 : 0)));
}
