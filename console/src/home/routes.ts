import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const home = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
});

export const homeRoutes = [home] as const;
export const homePlace = placeAt(home, { label: nav.home, permission: 'org.read', key: 'h' });
