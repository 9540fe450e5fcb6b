import { enter, isBack } from './app/session.ts';

// Every visit leaves for the service once and comes back. What shows pages is ten times this size, so it is read only on the
// way back, beside the exchange of the code.
const root = () => import('./app/root.tsx');
const ready = isBack() ? root() : undefined;

try {
  await enter();
  (await (ready ?? root())).showConsole();
} catch (error) {
  (await root()).showRefusal(error);
}
