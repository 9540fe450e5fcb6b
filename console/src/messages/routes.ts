import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { instance, organization } from '../app/parents.ts';
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
const instanceMessages = createRoute({
  getParentRoute: () => instance,
  path: '/messages',
  component: lazyRouteComponent(() => import('./messages-page.tsx'), 'InstanceMessagesPage'),
});
const oneInstanceMessage = createRoute({
  getParentRoute: () => instance,
  path: '/messages/$message',
  component: lazyRouteComponent(() => import('./message-page.tsx'), 'InstanceMessagePage'),
});

export const messagesRoutesOfOrganization = [messages, oneMessage] as const;
export const messagesRoutesOfInstance = [instanceMessages, oneInstanceMessage] as const;
export const messagesPlaceOfOrganization = placeAt(messages, {
  label: nav.messages,
  permission: 'notification.read',
  key: 'm',
});
export const messagesPlaceOfInstance = placeAt(instanceMessages, {
  label: nav.instanceMessages,
  permission: 'iam.read',
  key: 'd',
});
