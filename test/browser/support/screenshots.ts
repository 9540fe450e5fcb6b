import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

// Screenshots go to a folder of this run, which is gone afterwards unless a test failed. With SCREENSHOTS=dir they go
// there and stay.

const wanted = process.env['SCREENSHOTS'];
/** Somebody is going to look at them. */
export const arePicturesWanted = wanted !== undefined;
let folder: string | undefined;

/** Where the screenshot of this name goes. */
export function screenshotPath(name: string): string {
  folder ??= wanted === undefined ? mkdtempSync(path.join(os.tmpdir(), 'identity-screenshots-')) : wanted;
  mkdirSync(folder, { recursive: true });
  return path.join(folder, `${name}.png`);
}

export function keepScreenshots(): void {
  if (folder !== undefined) console.error(`Screenshots are in ${folder}`);
}

export async function removeScreenshots(): Promise<void> {
  if (folder !== undefined && wanted === undefined) await rm(folder, { recursive: true, force: true });
}
