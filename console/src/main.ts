import de from '../../locales/console/de/begin.json';
import en from '../../locales/console/en/begin.json';
import { enter, isBack } from './app/session.ts';

// Every visit leaves for the service once and comes back. What shows pages is ten times this size, so it is read only on the
// way back, beside the exchange of the code.
const load = async () => await import('./app/root.tsx');
/** Once more where it does not come: without it there is nothing to show. */
const root = async () => await load().catch(load);
const ready = isBack() ? root() : undefined;
// waited for below
ready?.catch(() => undefined);

/** In place of everything: an empty page would say nothing. */
function showNothingCame(): void {
  const t = document.documentElement.lang.startsWith('de') ? de : en;
  const main = document.createElement('main');
  for (const [name, text] of [
    ['h1', t.title],
    ['p', t.text],
    ['button', t.reload],
  ] as const)
    main.append(Object.assign(document.createElement(name), { textContent: text }));
  main.querySelector('button')?.addEventListener('click', () => location.reload());
  document.getElementById('console')?.replaceChildren(main);
}

try {
  await enter();
  (await (ready ?? root())).showConsole();
} catch (error) {
  await root().then(({ showRefusal }) => showRefusal(error), showNothingCame);
}
