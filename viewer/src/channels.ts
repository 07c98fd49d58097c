/* Channels as curves. Columns are taken out of their block when a curve is first drawn, and kept. */

import type { Blocks, Channel, Series } from './data';

export class Columns {
  private readonly kept = new Map<string, Float64Array>();

  constructor(private readonly blocks: Blocks) {}

  of(series: Series, block: number | null, column: number): Float64Array | null {
    if (block == null || !series.frames) return null;
    const key = `${block} ${column}`;
    let values = this.kept.get(key);
    if (!values) {
      const width = this.blocks.columns(block);
      const all = this.blocks.get(block);
      values = new Float64Array(series.frames);
      for (let i = 0; i < values.length; i++) values[i] = all[i * width + column];
      this.kept.set(key, values);
    }
    return values;
  }

  values(series: Series, channel: Channel): Float64Array | null {
    return this.of(series, series.values, channel.column);
  }

  time(series: Series): Float64Array {
    return series.frames ? (this.blocks.get(series.time) as Float64Array) : new Float64Array(0);
  }
}

export const isResidual = (name: string) => /^constraint\.(position|velocity)/.test(name);
export const isError = (name: string) => name.startsWith('error.');
export const isBalance = (name: string) => name === 'energy.balance';

/* The unit of a channel in words. */
export const unitName = (channel: Channel) => (channel.unit === '1' ? 'dimensionless' : channel.unit || 'unit not known');

/* Channels that share a plot have the same key: those of one unit. */
export function plotOf(channel: Channel): { key: string; title: string; log: boolean; change: boolean } {
  if (isResidual(channel.name)) return { key: channel.name, title: `Constraint residuals: ${channel.name.includes('velocity') ? 'velocities, m/s or rad/s' : 'positions, m or rad'}`, log: true, change: false };
  if (isBalance(channel.name)) return { key: 'balance', title: `Energy balance: change since the start${channel.unit ? `, ${channel.unit}` : ''}`, log: false, change: true };
  const key = channel.unit || `? ${channel.name}`;      // what is not known is not known to be the same
  return { key: `${key}${channel.log ? ' log' : ''}`, title: channel.unit ? unitName(channel) : `${channel.name}: unit not known`, log: channel.log, change: false };
}

/* What is plotted before anyone asks: what `record:` lists, all of it and in its order; without it the first channels of the first two units. Then
 * the checks. */
export function usualChannels(series: Series): string[] {
  const keys: string[] = [];
  const names: string[] = [];
  const counts = new Map<string, number>();
  const asked = series.channels.slice(0, series.asked ?? 0).map((channel) => channel.name);
  for (const channel of asked.length ? [] : series.channels) {
    const { key } = plotOf(channel);
    if (isResidual(channel.name) || key === 'balance' || isError(channel.name)) continue;      // errors of methods are plotted beside their table
    if (!keys.includes(key) && keys.length < 2) keys.push(key);
    const count = counts.get(key) ?? 0;
    if (keys.includes(key) && count < 4) {
      names.push(channel.name);
      counts.set(key, count + 1);
    }
  }
  names.push(...asked);
  for (const channel of series.channels) if ((isBalance(channel.name) || isResidual(channel.name)) && !names.includes(channel.name)) names.push(channel.name);
  return names;
}

/* Value at a time, straight between frames. */
export function valueAt(time: Float64Array, values: Float64Array, t: number): number {
  let low = 0, high = time.length - 1;
  if (high < 0) return NaN;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, time.length - 1);
  const span = time[next] - time[low];
  const s = span > 0 ? Math.min(1, Math.max(0, (t - time[low]) / span)) : 0;
  return s === 0 ? values[low] : (1 - s) * values[low] + s * values[next];
}
