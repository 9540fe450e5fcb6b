import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const keys = createRoute({
  getParentRoute: () => instance,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});

export const keysRoutes = [keys] as const;
export const keysPlace = placeAt(keys, { label: nav.keys, permission: 'iam.web_key.read', key: 'k' });
