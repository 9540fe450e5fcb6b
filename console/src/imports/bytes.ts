import { numberOf } from '../app/words.ts';

export function bytesOf(bytes: number): string {
  if (bytes < 1024) return `${numberOf(bytes)} B`;
  if (bytes < 1024 * 1024) return `${numberOf(Math.round(bytes / 1024))} KiB`;
  return `${numberOf(Math.round(bytes / 1024 / 102.4) / 10)} MiB`;
}
