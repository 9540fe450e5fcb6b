import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const queues = createRoute({
  getParentRoute: () => instance,
  path: '/queues',
  component: lazyRouteComponent(() => import('./queues-page.tsx'), 'QueuesPage'),
});

export const queuesRoutes = [queues] as const;
export const queuesPlace = placeAt(queues, { label: nav.queues, permission: 'queues.read', key: 'q' });
