import type { ServiceUser } from './service-users.js';

export interface AddedProvider {
  readonly id: string;
  readonly callbackUrl: string;
}

/** A provider that people sign in with, of the organization of whoever adds it, or of the instance. */
export async function anIdentityProvider(
  by: ServiceUser,
  settings: object,
  path: 'idps' | '/admin/v1/idps' = 'idps',
): Promise<AddedProvider> {
  const added = await by.call('POST', path, settings);
  if (added.statusCode !== 200) throw new Error(`${added.statusCode} ${added.body}`);
  const { id, callbackUrl } = added.json<AddedProvider>();
  const activated = await by.call('POST', `${path}/${id}/_activate`);
  if (activated.statusCode !== 200) throw new Error(`${activated.statusCode} ${activated.body}`);
  return { id, callbackUrl };
}
