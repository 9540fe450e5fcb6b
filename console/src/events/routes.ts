import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance, organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const events = createRoute({
  getParentRoute: () => organization,
  path: '/events',
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
});
const instanceEvents = createRoute({
  getParentRoute: () => instance,
  path: '/events',
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'InstanceEventsPage'),
});

export const eventsRoutesOfOrganization = [events] as const;
export const eventsRoutesOfInstance = [instanceEvents] as const;
export const eventsPlaceOfOrganization = placeAt(events, {
  label: nav.events,
  permission: 'events.read',
  key: 'e',
});
export const eventsPlaceOfInstance = placeAt(instanceEvents, {
  label: nav.instanceEvents,
  permission: 'iam.events.read',
  key: 'x',
});
