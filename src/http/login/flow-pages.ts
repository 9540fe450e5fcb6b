import type { Flow } from '../../domain/authorize/flow/find-flow.js';

/** A path of ours that stays in the flow, for pages that can be had without one, too. */
export function inFlow(
  path: string,
  flow: Pick<Flow, 'id'> | undefined,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...parameters, ...(flow === undefined ? {} : { flow: flow.id }) });
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
