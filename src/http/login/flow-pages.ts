import type { Flow } from '../../domain/authorize/continue-flow.js';
import type { PageOptions } from '../shared/pages.js';

/** What pages of a running sign-in have in common; all of them can be had without one, too. */

/** How a page looks that belongs to a flow: the application's organization, the languages it asked for. */
export function flowPageOptions(flow: Flow | undefined): PageOptions {
  return {
    organizationName: flow?.application?.organizationName,
    uiLocales: flow?.request?.uiLocales,
    formTarget: flow?.request?.redirectUri,
  };
}

/** A path of ours that stays in the flow. */
export function inFlow(
  path: string,
  flow: Flow | undefined,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...parameters, ...(flow === undefined ? {} : { flow: flow.id }) });
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
