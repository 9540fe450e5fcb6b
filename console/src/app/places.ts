import { eventsPlaceOfInstance, eventsPlaceOfOrganization } from '../events/routes.ts';
import { homePlace } from '../home/routes.ts';
import { importsPlace } from '../imports/routes.ts';
import { keysPlace } from '../keys/routes.ts';
import { membersPlaceOfInstance, membersPlaceOfOrganization } from '../members/routes.ts';
import { messagesPlaceOfInstance, messagesPlaceOfOrganization } from '../messages/routes.ts';
import { organizationsPlaceOfInstance, organizationsPlaceOfOrganization } from '../organizations/routes.ts';
import { projectsPlace } from '../projects/routes.ts';
import { providersPlace } from '../providers/routes.ts';
import { queuesPlace } from '../queues/routes.ts';
import { serviceUsersPlace } from '../service-users/routes.ts';
import { settingsPlace } from '../settings/routes.ts';
import { signInPlace } from '../sign-in/routes.ts';
import { usersPlace } from '../users/routes.ts';
import { webhooksPlaceOfInstance, webhooksPlaceOfOrganization } from '../webhooks/routes.ts';
import type { Place, PlaceOfRoute } from './place.ts';

/** The side bar, in its order. What a place is stands in the `routes.ts` of its area. */

const OF_ORGANIZATION: readonly PlaceOfRoute[] = [
  homePlace,
  usersPlace,
  serviceUsersPlace,
  projectsPlace,
  importsPlace,
  signInPlace,
  messagesPlaceOfOrganization,
  eventsPlaceOfOrganization,
  webhooksPlaceOfOrganization,
  membersPlaceOfOrganization,
  organizationsPlaceOfOrganization,
];

const OF_INSTANCE: readonly PlaceOfRoute[] = [
  organizationsPlaceOfInstance,
  membersPlaceOfInstance,
  keysPlace,
  providersPlace,
  messagesPlaceOfInstance,
  queuesPlace,
  settingsPlace,
  eventsPlaceOfInstance,
  webhooksPlaceOfInstance,
];

function placesOf(places: readonly PlaceOfRoute[], orgId: string): readonly Place[] {
  return places.map(({ at, ...about }) => ({
    ...about,
    path: at.fullPath.replace('$org', orgId).replace(/\/$/, ''),
  }));
}

export function placesOfOrganization(orgId: string): readonly Place[] {
  return placesOf(OF_ORGANIZATION, orgId);
}

export function placesOfInstance(): readonly Place[] {
  return placesOf(OF_INSTANCE, '');
}

/** The place that an address is in: the longest of those that it begins with. */
export function placeOf(places: readonly Place[], pathname: string): Place | undefined {
  const at = pathname.replace(/^\/console/, '').replace(/\/$/, '');
  return [...places]
    .sort((a, b) => b.path.length - a.path.length)
    .find(({ path }) => at === path || at.startsWith(`${path}/`));
}
