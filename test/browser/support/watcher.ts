import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A page of an application: frames the address that it is told, asks what it is told, and shows the answers. */
export const WATCHER = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Watching</title>
<link rel="icon" href="data:,"></head><body><h1>Watching</h1><iframe id="op" title="op"></iframe><script>
var asked = new URLSearchParams(location.search), frame = document.getElementById('op');
window.told = [];
window.addEventListener('message', function (event) {
  if (event.source === frame.contentWindow) told.push(event.origin + ' ' + event.data);
});
window.ask = function (message) { frame.contentWindow.postMessage(message, '*'); };
frame.onload = function () { window.ready = true; };
frame.src = asked.get('frame') || 'about:blank';
</script></body></html>`;

/** At the application's page with a frame of this address in it. */
export async function watch(page: Page, origin: string, frame: string): Promise<void> {
  await page.goto(`${origin}/watch?${new URLSearchParams({ frame }).toString()}`);
  await expect.poll(() => page.evaluate<boolean>('window.ready === true')).toBe(true);
}

/** What the frame says to this message, and who says it: `<origin> <word>`. */
export async function ask(page: Page, message: unknown): Promise<string> {
  await page.evaluate(`told.length = 0, ask(${JSON.stringify(message)})`);
  await expect.poll(() => page.evaluate<number>('told.length')).toBe(1);
  return await page.evaluate<string>('told[0]');
}
