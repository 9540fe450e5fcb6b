import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organization } from '../app/parents.ts';
import { nav, placeAt } from '../app/place.ts';

const messages = createRoute({
  getParentRoute: () => organization,
  path: '/messages',
  component: lazyRouteComponent(() => import('./messages-page.tsx'), 'MessagesPage'),
});
const oneMessage = createRoute({
  getParentRoute: () => organization,
  path: '/messages/$message',
  component: lazyRouteComponent(() => import('./message-page.tsx'), 'MessagePage'),
});

export const messagesRoutes = [messages, oneMessage] as const;
export const messagesPlace = placeAt(messages, {
  label: nav.messages,
  permission: 'notification.read',
  key: 'm',
});
