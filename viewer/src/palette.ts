/* Colours that stand apart on light and on dark ground. Words are never set in them. */

export const BODIES = ['#4f7fb5', '#d98b3a', '#5a9f68', '#a873a8', '#c9605a', '#4fa5a8', '#c2a23a', '#8a7a6a'];
export const SERIES = ['#3d7ebf', '#e0822d', '#459a58', '#c4514d', '#8d6bb8', '#2f9fa3', '#b8962e', '#d06fa0', '#7d8794', '#8a6a4f', '#6f9a1f', '#4b5fd0', '#c23a8a', '#1f8f6b', '#a0542a', '#5a86a8'];
export const CURVES = ['#3d7ebf', '#e0822d', '#459a58', '#c4514d', '#8d6bb8', '#2f9fa3', '#b8962e', '#d06fa0', '#7d8794', '#8a6a4f'];
export const STEEL = '#8a94a0';
export const PIN = '#3c4653';
export const FOOT = '#7d8794';
export const SPRING = '#2f9fa3';
export const ROD = '#7d8794';
export const MOTOR = '#d9622b';
export const CENTER = '#e3b341';
export const REACTION = '#d1453b';
export const VELOCITY = '#2f8f46';

export function pick(list: string[], index: number): string {
  return list[index % list.length];
}
